/**
 * Records of connect links. They contain only the hash of the secret, and are encrypted because they name customers of
 * the operator.
 */
import * as v from 'valibot'
import type { ConnectLink } from '../domain/connect-link.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { LANGUAGES } from '../domain/language.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

export type StoredLink = ConnectLink & { hash: string }

const asId = <T extends string>() =>
  v.pipe(
    v.string(),
    v.transform((id) => id as T),
  )

const LinkRecord = v.object({
  id: v.string(),
  workspace: asId<WorkspaceId>(),
  instance: asId<InstanceId>(),
  hash: v.string(),
  createdAt: v.number(),
  expiresAt: v.number(),
  pairedAt: v.nullable(v.number()),
  allowedOrigins: v.array(v.string()),
  locale: v.picklist(LANGUAGES),
  operator: v.object({ name: v.nullable(v.string()), color: v.nullable(v.string()) }),
})

export const linkRecords = (sealed: Sealer) =>
  repository<StoredLink>({
    name: 'connect link',
    schema: LinkRecord as v.GenericSchema<unknown, StoredLink>,
    version: 1,
    sealed,
  })
