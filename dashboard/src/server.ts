/** The only way to the server. The page's base says where it is, so that it may be mounted below any path. */
import { createClient } from '../../src/client/index.ts'

export const server = createClient({ url: document.baseURI })
