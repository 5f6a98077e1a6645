/** A connection beside a peer's own, to ask its table whether what it did is written. */
import { Client } from 'pg'

export interface RowCount {
  rows(text: string): Promise<number>
  close(): Promise<void>
}

/** `text` selects one number as `count`. */
export async function openRowCount(url: string): Promise<RowCount> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    rows: async (text) => Number((await client.query<{ count: string }>(text)).rows[0]?.count),
    close: () => client.end(),
  }
}
