/** The stored state of an instance. In a running service, only the instance's shard writes it. */
import * as v from 'valibot'
import { type RuntimeState, STATUS_REASONS, STATUSES } from '../../../src/domain/instance.ts'
import { type Repository, repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

const at = v.nullable(v.number())

const RuntimeSchema = v.object({
  status: v.picklist(STATUSES),
  reason: v.nullable(v.picklist(STATUS_REASONS)),
  phone: v.nullable(v.string()),
  /** Phone number that the last requested logout removed from `phone`. Absent in older records. */
  loggedOutPhone: v.optional(v.nullable(v.string()), null),
  profileName: v.nullable(v.string()),
  platform: v.nullable(v.string()),
  connectedAt: at,
  disconnectedAt: at,
  bannedUntil: at,
  /** Null if there is no restriction. Absent in older records. */
  restriction: v.optional(v.nullable(v.object({ kind: v.literal('reach_out'), until: at })), null),
  /** Time of the import of the device; null if it was not imported. Absent in older records. */
  importedAt: v.optional(at, null),
  paired: v.boolean(),
})

export const runtimeRecords = (sealer: Sealer): Repository<RuntimeState> =>
  repository({ name: 'instance state', schema: RuntimeSchema, version: 1, sealed: sealer })
