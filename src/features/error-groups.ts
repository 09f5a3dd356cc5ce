import type { FailureCode } from '../domain/failures.ts'

type Group = readonly FailureCode[]

export const INSTANCE: Group = [
  'unauthorized',
  'instance_not_found',
  'client_token_required',
  'api_key_required',
  'insufficient_scope',
  'ip_not_allowed',
  'rate_limited',
  'internal',
]

export const WITHOUT_DEVICE: Group = [...INSTANCE, 'invalid_request']

export const CONTROL: Group = [...INSTANCE, 'engine_unavailable']

/** Failures of immediate reads that the service answers from its own data. */
export const KNOWN: Group = [
  ...WITHOUT_DEVICE,
  'instance_not_connected',
  'instance_starting',
  'action_failed',
  'engine_unavailable',
  'send_timeout',
]

/** Failures of reads that the network answers. It may refuse them, for example with 403. */
export const READ: Group = [...KNOWN, 'not_allowed']

export const WRITE: Group = [...READ, 'subscription_required']

export const SEND: Group = [
  ...WITHOUT_DEVICE,
  'invalid_phone',
  'subscription_required',
  'queue_full',
  'queue_disabled_while_disconnected',
  'engine_unavailable',
]

export const ACCOUNT: Group = [
  'invalid_request',
  'api_key_required',
  'ip_not_allowed',
  'plan_required',
  'insufficient_scope',
  'rate_limited',
  'internal',
]

export const ADMIN: Group = ['invalid_request', 'api_key_required', 'ip_not_allowed', 'rate_limited', 'internal']
