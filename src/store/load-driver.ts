/** Drivers are optional peer dependencies: install only the ones that you need. */
import { EvertickError } from '../core/error.ts'

export async function loadDriver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new EvertickError('driver_missing', `The package "${name}" is not installed.`, {
      next: `Run \`npm install ${name}\`.`,
      cause: error,
    })
  }
}
