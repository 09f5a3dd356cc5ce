/** `secret-key rotate`: for a secret key that may have leaked, or that a policy requires to be replaced. */
import { randomBytes } from 'node:crypto'
import { SECRET_KEY_BYTES } from '../domain/secret-key.ts'
import { createKillAt } from '../kill-at.ts'
import { replaceFile } from '../storage/durable-files.ts'
import { rotateSecretKey } from '../storage/key-ring.ts'
import { secretKeyText } from '../storage/secret-key.ts'
import { command } from './command.ts'
import { withOwnStore } from './stored.ts'

export const rotateKey = command({
  name: 'secret-key rotate',
  summary: 'Make a new secret key; the old one opens nothing any more',
  details: [
    'The service must be stopped. The new key takes the place of the old one in the key file; where SVC_SECRET_KEY gives the key, the new',
    'one is printed, and counts from the first start with it (a start with the old one takes the rotation back). What is cut short is',
    'finished, or taken back, by the next start; the command can be repeated at any time. Backups need the key of their time.',
  ].join('\n'),
  run: ({ config }) =>
    withOwnStore(config, async ({ store, secretKey, file }) => {
      const next = randomBytes(SECRET_KEY_BYTES)
      const isOurs = config.secretKey === null
      await rotateSecretKey(store, secretKey, next, {
        steps: createKillAt(config.killAt),
        async replace() {
          if (isOurs) await replaceFile(file, secretKeyText(next))
          return isOurs
        },
      })
      return isOurs
        ? `There is a new key in ${file}. Keep a copy of it, apart from the backups.\n`
        : `${secretKeyText(next)}Shown this once. Put it into SVC_SECRET_KEY, then start the service; from then on the old one opens nothing.\n`
    }),
})
