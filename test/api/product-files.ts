/** Which files of the product know a thing by its name: how far one change reaches. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run-command.ts'

export function productFilesNaming(example: RegExp): string[] {
  const files = globSync(['src/**/*.{ts,sql}', 'dashboard/src/**/*.{ts,vue}'], { cwd: root })
  return files.filter((file) => names(file, example)).toSorted()
}

/** In its text, or by its own path. */
export function names(file: string, example: RegExp): boolean {
  return example.test(file) || example.test(readFileSync(join(root, file), 'utf8'))
}
