/**
 * Tests that the admin key of a second workspace can neither list nor drain the services on a store. The first
 * workspace is that of the operator.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashOf } from '../../src/account/credentials.ts'
import { newWorkspace } from '../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../src/account/records.ts'
import { keys } from '../../src/storage/record-keys.ts'
import { NODE, openService } from './http/service.ts'

const OTHER_ADMIN_KEY = `svc_admin_${'e'.repeat(48)}`

const service = await openService({ hasOwnAdminKey: true })
after(() => service.close())

test('the admin key of a second workspace neither lists the services nor makes one hand over', async () => {
  const now = service.time.now + 1
  const other = newWorkspace({ name: 'other', now, adminKeyHash: hashOf(OTHER_ADMIN_KEY), instanceSlots: 1 })
  await service.store.commit({ ops: [workspaceRecords(service.sealer).encode(keys.workspace(other.id), other)] })
  const answerOf = async (method: string, path: string, key?: string) => {
    const { body } = await (key === undefined
      ? service.admin(method, path)
      : service.ask(method, path, undefined, { Authorization: `Bearer ${key}` }))
    return body.data?.length ?? `${body.error.code}: ${body.error.message}`
  }
  const refused = 'not_allowed: Only the first workspace of the service, which is that of its operator, may do this.'
  assert.deepEqual(
    [
      await answerOf('GET', '/admin/nodes', OTHER_ADMIN_KEY),
      await answerOf('POST', `/admin/nodes/${NODE}/drain`, OTHER_ADMIN_KEY),
    ],
    [refused, refused],
  )
  assert.equal(await answerOf('GET', '/admin/nodes'), 1)
  const instances = async () => (await service.admin('GET', '/admin/nodes')).body.data[0].instances
  const before = await instances()
  await service.newInstance()
  assert.equal(await instances(), before + 1)
  assert.match(await answerOf('POST', `/admin/nodes/${NODE}/drain`), /^not_allowed: No standby is ready/)
})
