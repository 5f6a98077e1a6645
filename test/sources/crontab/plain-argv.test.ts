/** Only words that a shell would leave as they are make a command. */
import { expect, test } from 'vitest'
import { plainArgv } from '../../../src/sources/crontab/plain-argv.ts'

test.each([
  ['/opt/backup.sh', ['/opt/backup.sh']],
  [
    '/usr/bin/rsync -a  --exclude=cache\t/srv/ host:/backup ',
    ['/usr/bin/rsync', '-a', '--exclude=cache', '/srv/', 'host:/backup'],
  ],
  [`/opt/a 'two words' "and; more" --name='a b'c`, ['/opt/a', 'two words', 'and; more', '--name=a bc']],
  [`/opt/a '' '$HOME'`, ['/opt/a', '', '$HOME']],
])('%s', (command, argv) => {
  expect(plainArgv(command)).toEqual(argv)
})

test.each([
  'backup.sh',
  './backup.sh',
  'cd /opt && ./run',
  'A=1 /opt/run',
  '/opt/run > /dev/null',
  '/opt/run 2>&1',
  '/opt/run | tee log',
  '/opt/run &',
  '/opt/run; /opt/more',
  '/opt/run $HOME',
  '/opt/run "$HOME"',
  '/opt/run `date`',
  '/opt/run $(date +%F)',
  '/opt/run *.log',
  '/opt/run ~/x',
  '/opt/run {a,b}',
  '/opt/run a\\ b',
  "/opt/run 'open",
  '/opt/run "open',
  '/opt/run # comment',
  '/opt/run !!',
  '/opt/../bin/run',
  "'/opt/with space/run'",
  '/opt/run\n/opt/more',
  '(/opt/run)',
  '[ -x /opt/run ] && /opt/run',
  '. /opt/run',
  '/opt/*/run',
  '',
])('%j is for a shell', (command) => {
  expect(plainArgv(command)).toBeNull()
})
