import { giveOptions, giveRef, takeNonce, takePrologue, takeRequest } from '../passkey.ts'
import type { Answer } from './query.ts'

export const PASSKEY_QUERIES: Record<string, Answer> = {
  'md get passkey_request_options': giveOptions,
  'md get ref': giveRef,
  'md set passkey_prologue': takePrologue,
  'md set companion_nonce': takeNonce,
  'md set encrypted_pairing_request': takeRequest,
}
