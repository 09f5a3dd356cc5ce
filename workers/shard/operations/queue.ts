/** Queue: how `src/features/queue.ts` is done. The line belongs to the service, so nothing here needs a connection. */
import { Failure } from '../../../src/domain/failures.ts'
import { renderIdentifier } from '../../../src/domain/ids.ts'
import type { Operations } from './types.ts'

export const queue: Operations<typeof import('../../../src/features/queue.ts')> = {
  list: ({ queue: line }, { page, page_size, phone }) =>
    line.list({ page, pageSize: page_size, phone: phone && renderIdentifier(phone) }),

  async clear({ queue: line }, { phone }) {
    return { value: true, removed: await line.clear(phone && renderIdentifier(phone)) }
  },

  async remove({ queue: line }, { svc_id }) {
    if (!(await line.remove(svc_id))) throw new Failure('not_found')
    return { value: true, removed: 1 }
  },
}
