/**
 * Rules for changes of API keys and of the security settings. They are checked inside the transaction, and refuse
 * changes after which nobody could use the workspace.
 */
import { Failure } from '../domain/failures.ts'
import type { Security } from '../domain/workspace.ts'

const isKeyRequired = ({ requireApiKey, requireClientToken }: Security) => requireApiKey || requireClientToken

const refuse = (message: string) => {
  throw new Failure('not_allowed', { message })
}

/** Throws if an API key would be required although no key has the scope `instances:operate`. */
export function checkRequirement(next: Security, operateKeys: number): void {
  if (isKeyRequired(next) && operateKeys === 0)
    refuse('The workspace has no API key with instances:operate, so nobody could use its instances; create one first.')
}

/**
 * Throws if an API key is required and no other key has the scope `instances:operate`. Called before a key is removed
 * or loses the scope.
 */
export function checkLastOperateKey(security: Security, othersThatOperate: number): void {
  if (isKeyRequired(security) && othersThatOperate === 0)
    refuse('This is the last key with instances:operate, and the workspace requires one; create another one first.')
}

export function checkAllowlist({ enabled, entries }: Security['allowlist']): void {
  if (enabled && entries.length === 0)
    refuse('An enabled allowlist without entries would refuse every caller; add at least one entry.')
}
