import type { NoticeStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { heardNow, listWebhooks } from './audience.ts'
import { passNotices } from './pass-notices.ts'

export function noticeStore({ read, write, tellingIf, context }: Scripts): NoticeStore {
  return {
    heardNow: () => read(() => heardNow()),
    listWebhooks: () => read(() => listWebhooks()),
    passNotices: (request) =>
      tellingIf(
        write(() => passNotices(request, context)),
        ({ deliveries }) => deliveries > 0,
      ),
  }
}
