/** `secret-key rotate`: replaces a secret key that may have leaked, or that a policy requires to be replaced. */
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
  summary: 'Create a new secret key; the old one no longer opens the store',
  details: [
    'Stop the service first. The new key replaces the old one in the key file. If SVC_SECRET_KEY is set, the new key is printed instead and',
    'takes effect at the first start with it; a start with the old key undoes the rotation. An interrupted rotation is completed or undone by',
    'the next start, and the command can be repeated at any time. A backup can only be opened with the key in use when it was made.',
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
        ? `${file} now holds the new key. Keep a copy of it, separate from the backups.\n`
        : `${secretKeyText(next)}This key is shown only once. Set SVC_SECRET_KEY to it, then start the service; from then on the old key no longer works.\n`
    }),
})
