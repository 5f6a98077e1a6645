/** The only way to the server. Its URL is the page's base, so that it can be mounted below any path. */
import { createClient } from '../../src/client/index.ts'

export const server = createClient({ url: document.baseURI })
