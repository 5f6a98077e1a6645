/** A real SMTP server on the loopback, from npm: it keeps the mails that it takes, and answers as it is told. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface MailUnderTest {
  readonly url: string
  readonly port: number
  readonly mails: readonly { readonly to: readonly string[]; readonly source: string }[]
}

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailUnderTest> {
  const mails: { to: string[]; source: string }[] = []
  const keep = async (...[stream, session, done]: Parameters<NonNullable<SMTPServerOptions['onData']>>) => {
    const source = await text(stream)
    mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source })
    done()
  }
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      void keep(stream, session, done)
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}?from=evertick@example.com`, port, mails }
}

/** A header of a mail, unfolded and with its encoded words read. */
export function headerOf(source: string, name: string): string {
  const [head = ''] = source.split('\r\n\r\n', 1)
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const line = lines.find((one) => one.toLowerCase().startsWith(`${name}:`)) ?? ''
  return line.slice(name.length + 1).trim()
}
