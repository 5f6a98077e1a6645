/** An error as it is kept: every text of it has its limit, whoever made it. */
import { cutText } from '../cut-text.ts'
import type { ExecutionError } from '../execution/execution.ts'

const longestName = 200
const longestText = 8_192

export function keptError({ name, message, stack, code }: ExecutionError): ExecutionError {
  return {
    name: cutText(name, longestName),
    message: cutText(message, longestText),
    ...(stack === undefined ? {} : { stack: cutText(stack, longestText) }),
    ...(code === undefined ? {} : { code: cutText(code, longestName) }),
  }
}
