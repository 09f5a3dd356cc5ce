import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SessionParts, sessionOf } from '../../../workers/shard/chats/session.ts'
import type { Connection } from '../../../workers/shard/connection/contract.ts'

test('a session has the state that its connection has at the time of the read', () => {
  const state = {
    me: undefined as { id: string } | undefined,
    platform: undefined as string | undefined,
    isOpen: false,
    isAvailable: false,
  }
  const connection = Object.defineProperties(
    {},
    Object.fromEntries(
      Object.keys(state).map((name) => [name, { enumerable: true, get: () => state[name as keyof typeof state] }]),
    ),
  ) as Connection
  const session = sessionOf(connection, {} as SessionParts)
  const later = { me: { id: '5511999990001:1@s.whatsapp.net' }, platform: 'android', isOpen: true, isAvailable: true }
  Object.assign(state, later)
  const { me, platform, isOpen, isAvailable } = session
  assert.deepEqual({ me, platform, isOpen, isAvailable }, later)
})
