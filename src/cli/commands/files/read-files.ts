/** Files of jobs, by their names, folders and standard input, and what is wrong in them, by file, line and column. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import { EvertickError } from '../../../core/error.ts'
import type { FileJob, FileTrouble } from '../../../sources/file/read-jobs-file.ts'
import type { Cli } from '../../session.ts'

export interface JobInFile extends FileJob {
  readonly file: string
}

export interface TroubleInFile extends FileTrouble {
  readonly file: string
}

export interface JobsInFiles {
  readonly jobs: readonly JobInFile[]
  readonly troubles: readonly TroubleInFile[]
}

const standardInput = '-'
const endings = ['.yaml', '.yml', '.json']

export async function readFiles(cli: Pick<Cli, 'cwd'>, given: readonly string[]): Promise<JobsInFiles> {
  // Loaded by the commands that read a file: it costs every other one 20 ms.
  const { readJobsFile } = await import('../../../sources/file/read-jobs-file.ts')
  const jobs: JobInFile[] = []
  const troubles: TroubleInFile[] = []
  for (const file of (await Promise.all(given.map((path) => filesAt(cli, path)))).flat()) {
    const read = readJobsFile(await textOf(cli, file))
    jobs.push(...read.jobs.map((job) => ({ ...job, file })))
    troubles.push(...read.troubles.map((trouble) => ({ ...trouble, file })))
  }
  return { jobs, troubles }
}

/** What a file or folder is called, without its path and its ending; null for standard input. */
export function nameOfFile({ cwd }: Pick<Cli, 'cwd'>, path: string): string | null {
  if (path === standardInput) return null
  const name = basename(resolve(cwd, path))
  const ending = extname(name)
  return endings.includes(ending.toLowerCase()) ? name.slice(0, -ending.length) : name
}

async function filesAt({ cwd }: Pick<Cli, 'cwd'>, path: string): Promise<string[]> {
  if (path === standardInput) return [path]
  const found = await unlessMissing(path, () => stat(resolve(cwd, path)))
  if (!found.isDirectory()) return [path]
  const names = await readdir(resolve(cwd, path))
  const files = names.filter((name) => !name.startsWith('.') && endings.includes(extname(name).toLowerCase()))
  if (files.length > 0) return files.toSorted().map((name) => join(path, name))
  throw new EvertickError(
    'file_not_found',
    `The folder ${path} has no files that end in ${endings.join(', ')}.`,
    {
      field: 'file',
      next: 'Name the folder that has the files themselves: folders in it are not looked into.',
    },
  )
}

async function textOf({ cwd }: Pick<Cli, 'cwd'>, file: string): Promise<string> {
  if (file === standardInput) return await readStream(process.stdin)
  return await unlessMissing(file, () => readFile(resolve(cwd, file), 'utf8'))
}

async function unlessMissing<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new EvertickError('file_not_found', `Cannot read ${path}.`, {
      field: 'file',
      next: 'Check its name and permissions; - reads standard input.',
      cause: error,
    })
  }
}
