/**
 * Resolves `import … from 'evertick'` to this very Evertick. So a configuration file and the module of an isolated handler
 * work where the package is not installed (npx, a checkout), and one process never loads two copies of the library.
 */
import { registerHooks } from 'node:module'

let isResolving = false

export function resolveOwnPackage(): void {
  if (isResolving) return
  isResolving = true
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const own: Readonly<Record<string, string>> = {
    evertick: new URL(`../index.${ending}`, import.meta.url).href,
    'evertick/testing': new URL(`../testing/index.${ending}`, import.meta.url).href,
  }
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = own[specifier]
      return url === undefined ? nextResolve(specifier, context) : { url, shortCircuit: true }
    },
  })
}
