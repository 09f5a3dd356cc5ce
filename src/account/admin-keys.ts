import { ADMIN_KEY_PREFIX } from '../domain/brand.ts'
import { Failure } from '../domain/failures.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Account } from './account.ts'
import { hashOf, isAdminKey, isSameHash, newAdminKey } from './credentials.ts'
import type { HeldWorkspaces } from './held-workspaces.ts'

export interface AdminKeysDeps {
  workspaces: HeldWorkspaces
  mutex: KeyedMutex
  /** Admin key of the oldest workspace, from the environment. If null, the first start creates one. */
  given: string | null
}

type AdminKeysPart = Pick<
  Account,
  'firstStart' | 'findAdmin' | 'adminKeyTag' | 'hasGivenAdminKey' | 'isOperators' | 'rotateAdminKey'
>

export interface AdminKeys extends AdminKeysPart {
  follow(): Promise<void>
}

export function checkGivenAdminKey(value: string | null): void {
  if (value !== null && !isAdminKey(value))
    throw new Error(`the admin key must be ${ADMIN_KEY_PREFIX} and 48 lower-case hexadecimal digits`)
}

export function createAdminKeys({ workspaces, mutex, given }: AdminKeysDeps): AdminKeys {
  const oldest = () => workspaces.all().sort((a, b) => a.createdAt - b.createdAt)[0]!

  const isGiven = (id: string) => given !== null && oldest().id === id

  return {
    async follow() {
      if (given === null) return
      const hash = hashOf(given)
      await workspaces.change(oldest().id, ({ adminKeyHash }) =>
        adminKeyHash === hash ? undefined : { next: { adminKeyHash: hash }, ops: [] },
      )
    },

    async firstStart() {
      const first = oldest()
      if (first.adminKeyHash !== null) return null
      const value = newAdminKey()
      let isMade = false
      await workspaces.change(first.id, ({ adminKeyHash }) => {
        if (adminKeyHash !== null) return undefined
        const committed = () => {
          isMade = true
        }
        return { next: { adminKeyHash: hashOf(value) }, ops: [], committed }
      })
      return isMade ? value : null
    },

    findAdmin(value) {
      const hash = hashOf(value)
      // Every workspace is compared, so that the duration does not reveal which workspace has the key.
      const found = workspaces.all().filter(({ adminKeyHash }) => adminKeyHash !== null && isSameHash(adminKeyHash, hash))
      return found[0]?.id as WorkspaceId | undefined
    },

    adminKeyTag(workspace) {
      const { adminKeyHash } = workspaces.get(workspace)
      return adminKeyHash === null ? undefined : hashOf(adminKeyHash)
    },

    hasGivenAdminKey: isGiven,

    isOperators: (workspace) => oldest().id === workspace,

    async rotateAdminKey(workspace, also = () => ({ ops: [] })) {
      const before = workspaces.get(workspace).adminKeyHash
      const value = newAdminKey()
      await mutex.run(workspace, () =>
        workspaces.change(workspace, ({ id, adminKeyHash }) => {
          if (isGiven(id))
            throw new Failure('not_allowed', {
              message: 'The variable SVC_ADMIN_KEY sets the admin key; change the variable instead.',
            })
          if (adminKeyHash !== before) throw new Failure('api_key_required')
          return { next: { adminKeyHash: hashOf(value) }, ...also() }
        }),
      )
      return value
    },
  }
}
