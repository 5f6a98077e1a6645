import { type Bench, type OpenStoreUnderTest, withStore } from '../store/conformance/store-under-test.ts'

/** A file of a server's store, opened and closed with its test. */
export function onServer(
  open: () => Promise<{ open: OpenStoreUnderTest; close(): Promise<void> }>,
  run: (bench: Bench) => Promise<void>,
) {
  return async () => {
    const file = await open()
    try {
      await withStore(() => file.open(), run)()
    } finally {
      await file.close()
    }
  }
}
