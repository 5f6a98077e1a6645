/** An error as it is stored: each of its texts has a limit, whoever wrote it. */
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
