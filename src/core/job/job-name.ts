/** What may stand as a job's name: in commands, URLs, metrics and tables. */
const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N} _.:/@-]{0,199}$/u

export function isJobName(name: unknown): name is string {
  return typeof name === 'string' && namePattern.test(name)
}
