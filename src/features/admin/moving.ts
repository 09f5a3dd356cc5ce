/** Administration of the workspace: instances that move to another server, and backups of them. */
import { z } from 'zod'
import { ARCHIVE_KINDS, MIN_PASSPHRASE } from '../../domain/archive.ts'
import { Failure } from '../../domain/failures.ts'
import { BYTES, local } from '../endpoint.ts'
import { oneOf, plain, uuid } from '../fields.ts'
import { disposition } from '../media.ts'
import { instanceExample } from '../objects.ts'

const MAX_PASSPHRASE = 1_024
/** The passphrase is the only long field. */
const MAX_BODY = 8 * 1_024

const UNSAFE =
  'Archives are only sent if the address of the service begins with https (SVC_BASE_URL), or to a program on its machine that calls it without a proxy.'

export const exportInstance = local('admin.exportInstance', 'POST /admin/instances/{instance_id}/export', {
  access: 'admin',
  summary: 'Export an instance as an archive',
  description:
    'Answers with an archive that the passphrase encrypts, in the age format, for `instance import --from svc` at another server. With `move` the instance is ' +
    'stopped and stays stopped with the reason `moved`; its queue and its waiting events are in the archive. If the download is cut, repeat the request. Delete ' +
    'the instance when it is connected at its new place. With `backup` it goes on, and the archive has its device and its settings only. Refused with ' +
    '`not_allowed` for an instance that is not linked, and unless the address of the service begins with https or a program on its machine calls it directly. ' +
    'An instance that is `moved` accepts no messages.',
  input: {
    instance_id: uuid.meta({ description: 'The instance.' }),
    kind: oneOf(ARCHIVE_KINDS).meta({ description: '`move` or `backup`.' }),
    passphrase: plain(MIN_PASSPHRASE, MAX_PASSPHRASE).meta({
      description: 'Encrypts the archive. The service does not store it, and without it the archive cannot be read.',
    }),
  },
  reply: z.instanceof(Uint8Array),
  contentType: BYTES,
  maxBody: MAX_BODY,
  errors: ['not_found', 'not_allowed', 'engine_unavailable'],
  async handle({ parts, workspace, request, isOnThisMachine, baseUrl }, { instance_id, kind, passphrase }) {
    const instance = parts.directory.find(workspace, instance_id)
    // The passphrase is in the request, so a plain connection would make the encryption of the archive worthless.
    if (!isOnThisMachine && new URL(baseUrl).protocol !== 'https:') throw new Failure('not_allowed', { message: UNSAFE })
    const archive = await parts.exportInstance(instance, { kind, passphrase }, request.signal)
    return new Response(archive, {
      headers: {
        'Content-Type': BYTES,
        'Content-Disposition': disposition(`${instance}.age`),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'no-store',
      },
    })
  },
  examples: [
    { name: 'a backup', input: { instance_id: instanceExample.id, kind: 'backup', passphrase: 'correct horse battery' } },
  ],
})
