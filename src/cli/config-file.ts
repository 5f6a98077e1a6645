/** Finds and loads `evertick.config.ts|js|mjs`. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig, type EvertickOptions } from '../app/config/options.ts'
import { EvertickError } from '../core/error.ts'
import { resolveOwnPackage } from '../isolate/own-package.ts'
import { messageOf } from './error-report.ts'

export interface ConfigFile {
  readonly path: string
  readonly options: Partial<EvertickOptions>
}

const names = ['evertick.config.ts', 'evertick.config.js', 'evertick.config.mjs']

/** The named file, or else the one in the folder; null where there is none. */
export async function loadConfigFile(folder: string, named: string | undefined): Promise<ConfigFile | null> {
  const path = named === undefined ? findIn(folder) : resolve(folder, named)
  if (path === null) return null
  if (!existsSync(path)) {
    throw new EvertickError('invalid_config', `There is no file ${path}.`, {
      field: 'config',
      next: 'Check --config, or create one with `evertick init`.',
    })
  }
  resolveOwnPackage()
  return { path, options: checkedOptions(path, await importFile(path)) }
}

function findIn(folder: string): string | null {
  return names.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

async function importFile(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    if (error instanceof EvertickError) throw inFile(path, error)
    throw new EvertickError('invalid_config', `Cannot load ${path}: ${messageOf(error)}`, {
      field: 'config',
      next: 'Fix the file, or choose another one with --config.',
      cause: error,
    })
  }
}

function checkedOptions(path: string, module: { readonly default?: unknown }): Partial<EvertickOptions> {
  if (typeof module.default !== 'object' || module.default === null) {
    throw new EvertickError('invalid_config', `${path} has no default export.`, {
      field: 'config',
      next: 'Add `export default defineConfig({ … })`.',
    })
  }
  try {
    return defineConfig(module.default)
  } catch (error) {
    throw error instanceof EvertickError ? inFile(path, error) : error
  }
}

function inFile(path: string, error: EvertickError): EvertickError {
  const { code, field, next, message } = error
  return new EvertickError(code, `${path}: ${message}`, {
    ...(field === undefined ? {} : { field }),
    ...(next === undefined ? {} : { next }),
    cause: error,
  })
}
