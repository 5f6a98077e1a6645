/**
 * Loads a peer from this folder's own node_modules. The name is a variable and the type the adapter's own, so that the
 * project's type check needs none of them installed; and the few lines of that type say what the bench uses of a library.
 */
export async function library<T>(name: string): Promise<T> {
  const found = (await import(name)) as T & { readonly default?: T }
  // What was written for `require` has its exports there.
  return { ...found.default, ...found }
}
