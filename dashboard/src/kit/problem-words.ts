/** An error in words: what went wrong, and what to do next. The server puts commands in backquotes. */
export function problemWords(error: unknown): { readonly message: string; readonly next: string } {
  const { next = '' } = (error ?? {}) as { readonly next?: string | undefined }
  const message = error instanceof Error ? error.message : String(error)
  return { message, next: next.replaceAll('`', '') }
}
