import { openApi } from './api-under-test.ts'
import { describeFuzz } from './fuzz/describe-fuzz.ts'

describeFuzz('sqlite', Number(process.env['EVERTICK_FUZZ_REQUESTS'] ?? 2_000), async () => {
  const api = await openApi()
  return { api, close: () => api.node.stop() }
})
