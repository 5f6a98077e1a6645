/** `evertick openapi`: the API as a document, for client generators. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import type { Cli } from '../../session.ts'

export function addOpenapi(program: Command, cli: Cli): void {
  const command = program
    .command('openapi')
    .summary('the API as an OpenAPI 3.1 document')
    .description('Prints the API as an OpenAPI 3.1 document. Needs no database.')
    .action(async () => {
      const { openapiDocument } = await import('../../../http/openapi.ts')
      const document = openapiDocument()
      cli.terminal.answer(document, (out) => out.write(JSON.stringify(document, null, 2)))
    })
  examples(command, [['openapi > evertick.openapi.json']])
}
