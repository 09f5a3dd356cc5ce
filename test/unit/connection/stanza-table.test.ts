/**
 * Tests the table of stanzas. The kinds that are ignored are listed in
 * `stanza-left.ts`, and tested by `server-kinds.test.ts`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTable } from '../../../workers/shard/connection/socket/stanza-router.ts'
import { type StanzaParts, stanzaTable } from '../../../workers/shard/stanzas/stanza-table.ts'

test('every stanza has its row', () => {
  const parts = new Proxy({}, { get: () => () => assert.fail() }) as StanzaParts
  const isLeft = (line: string) => line.includes('count left alone')
  assert.deepEqual(
    describeTable(stanzaTable(parts)).filter((line) => !isLeft(line)),
    [
      'message from=@newsletter | one of a chat after the other | commit post | answer ack',
      'message | one of a chat after the other | intercept number and LID, intercept name of the account, commit inbox | answer receipt, or a request for it',
      'receipt type=retry | retry receipts one after the other | intercept number and LID, commit the message again | answer ack',
      'receipt type=none|delivery|inactive|sender|read|read-self|played | at once | intercept number and LID, commit message_status | answer ack',
      'receipt | at once | nothing | answer ack',
      'call | calls one after the other | intercept number and LID, commit call | answer ack',
      'notification type=w:gp2 | one of a chat after the other | intercept number and LID, commit what is known of the group, intercept names and pictures, commit event | answer ack',
      'notification type=newsletter | one of a chat after the other | intercept names and pictures, commit event | answer ack',
      'notification type=picture | one of a chat after the other | intercept names and pictures, commit event | answer ack',
      'notification type=mex | mex one after the other | intercept limits of the account, intercept names and pictures, commit event | answer ack',
      'notification type=encrypt | keys one after the other | intercept number of pre-keys, intercept identity of a contact | answer ack',
      'notification type=devices | devices one after the other | intercept number and LID, intercept device lists | answer ack',
      'notification type=account_sync | devices one after the other | intercept the account | answer ack',
      'notification type=privacy_token | one of a chat after the other | intercept number and LID, commit token of a contact | answer ack',
      'notification type=server_sync | app state one after the other | commit app state | answer ack, unless it could not be followed yet',
      'notification type=mediaretry | at once | intercept who asked for the file | answer ack',
      'notification type=contacts | at once | intercept number and LID | answer ack',
      'notification type=link_code_companion_reg | pairing one after the other | intercept end of the pairing | answer ack',
      'notification type=companion_reg_refresh | at once | intercept secret of the QR code | answer ack',
      'notification type=passkey_prologue_request | at once | commit passkey asked for | answer ack',
      "notification type=crsc_continuation | at once | intercept the phone's part | answer ack",
      'notification | at once | nothing | answer ack',
      'ack class=message | at once | intercept who waits for it, intercept token of a contact, intercept LID of a contact, intercept device lists | answer nothing',
      'ack class=receipt | at once | intercept who waits for it | answer nothing',
      'ack | at once | nothing | answer nothing',
      'presence | one of a chat after the other | intercept presence | answer nothing',
      'chatstate | one of a chat after the other | intercept presence | answer nothing',
      'ib <offline_preview> | at once | intercept peer messages of before | answer nothing',
      'ib <offline> | at once | intercept peer messages of before, intercept nothing older will come | answer nothing',
      'ib <dirty> | at once | intercept what is out of date | answer nothing',
      'ib <client_expiration> | at once | intercept version | answer nothing',
      'ib | at once | nothing | answer nothing',
      'iq <pair-device> | at once | intercept the login is answered, intercept codes to scan | answer result',
      'iq type=result|error | at once | nothing | answer nothing',
      'iq type=get xmlns=urn:xmpp:ping | at once | nothing | answer result',
      'iq <pair-success> | at once | nothing | answer nothing',
      'success | at once | intercept the login is answered, intercept number of logins, intercept our own number and LID | answer nothing',
      'failure | at once | intercept the login is answered | answer nothing',
      'stream:error | at once | intercept the login is answered | answer nothing',
    ],
  )
})
