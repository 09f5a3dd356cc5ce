/**
 * Restores the initial state of a simulated network and a service for the next test file. Throws if this fails; then no
 * other test file may use this network and this service.
 */
import assert from 'node:assert/strict'
import { must } from './http.ts'
import type { Place } from './place.ts'
import { createSandbox } from './sandbox.ts'

/** Paths of the API whose answers must be the same as at the beginning, after all instances and keys are deleted. */
const LEFT = ['/admin/workspace', '/admin/security', '/admin/oauth-apps', '/admin/webhook-log', '/admin/api-keys']
const LEFT_OF_ACCOUNT = ['/account/webhooks', '/account/instances']

interface Listed {
  data: { id: string }[]
}

export async function createEmptying({ baseUrl, adminKey, controlUrl }: Place): Promise<() => Promise<void>> {
  const admin = { authorization: `Bearer ${adminKey}` }
  const asAdmin = <T>(method: string, path: string, body?: unknown) => must<T>(method, baseUrl + path, body, admin)
  const sandbox = createSandbox(controlUrl)

  async function withKey<T>(use: (asAccount: <R>(method: string, path: string) => Promise<R>) => Promise<T>): Promise<T> {
    const scopes = ['instances:read', 'instances:write', 'webhooks:read']
    const { id, value } = await asAdmin<{ id: string; value: string }>('POST', '/admin/api-keys', { name: 'emptying', scopes })
    const account = { authorization: `Bearer ${value}` }
    const result = await use((method, path) => must(method, baseUrl + path, undefined, account))
    await asAdmin('DELETE', `/admin/api-keys/${id}`)
    return result
  }

  async function left() {
    const ofAccount = await withKey((asAccount) => Promise.all(LEFT_OF_ACCOUNT.map((path) => asAccount('GET', path))))
    return [...ofAccount, ...(await Promise.all(LEFT.map((path) => asAdmin('GET', path))))]
  }

  async function deleteInstances() {
    await withKey(async (asAccount) => {
      for (;;) {
        const { data } = await asAccount<Listed>('GET', '/account/instances?page_size=100')
        if (data.length === 0) return
        await Promise.all(data.map(({ id }) => asAccount('DELETE', `/account/instances/${id}`)))
      }
    })
  }

  async function revokeKeys() {
    const { data } = await asAdmin<Listed>('GET', '/admin/api-keys?page_size=100')
    for (const { id } of data) await asAdmin('DELETE', `/admin/api-keys/${id}`)
  }

  const began = await left()
  return async () => {
    // The simulated phones are removed first, so that the instances do not contact the network when they are deleted.
    await sandbox.reset()
    await deleteInstances()
    await revokeKeys()
    await sandbox.reset()
    assert.deepEqual(await left(), began)
  }
}
