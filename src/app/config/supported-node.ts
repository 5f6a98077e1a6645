/** Imported first by the library: on an old Node it fails with a sentence, not with a syntax error. */
import { tooOldNode } from '../../core/node-version.ts'

const tooOld = tooOldNode(process.versions.node)
if (tooOld !== null) throw new Error(`${tooOld} Install a newer one from https://nodejs.org.`)
