import { z } from 'zod'
import { ARCHIVE_KINDS, MIN_PASSPHRASE } from '../../domain/archive.ts'
import { PASSPHRASE_HEADER } from '../../domain/brand.ts'
import { IMPORT_SOURCES } from '../../domain/device-bundle.ts'
import { Failure } from '../../domain/failures.ts'
import { STATUSES } from '../../domain/instance.ts'
import { MAX_IMPORT } from '../../domain/instance-import.ts'
import { BYTES, local } from '../endpoint.ts'
import { displayText, oneOf, plain, uuid } from '../fields.ts'
import { disposition } from '../media.ts'
import { Instance, instanceExample } from '../objects.ts'
import type { AccountCall } from '../parts.ts'
import { queryBoolean } from '../send/queued.ts'

const MAX_PASSPHRASE = 1_024
const MAX_BODY = 8 * 1_024

const UNSAFE =
  'Archives and devices are only sent and received if the address of the service begins with https (SVC_BASE_URL), or if a program on its machine calls it without a proxy.'

/**
 * Refuses a request without TLS from another machine, because anybody who reads the passphrase on the way could decrypt
 * the archive.
 */
function refusePlain({ isOnThisMachine, baseUrl }: AccountCall): void {
  if (!isOnThisMachine && new URL(baseUrl).protocol !== 'https:') throw new Failure('not_allowed', { message: UNSAFE })
}

export const exportInstance = local('admin.exportInstance', 'POST /admin/instances/{instance_id}/export', {
  access: 'admin',
  summary: 'Export an instance as an archive',
  description:
    'Answers with an archive that the passphrase encrypts, in the age format, for an import at another server. With `move` the instance is ' +
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
  async handle(call, { instance_id, kind, passphrase }) {
    const { parts, workspace, request } = call
    const instance = parts.directory.find(workspace, instance_id)
    refusePlain(call)
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

const flag = (description: string) => queryBoolean.default(false).meta({ description })

const Import = z
  .object({
    instance: Instance.nullable().meta({ description: 'The new instance; null after a dry run.' }),
    report: z.array(z.string()).meta({
      description:
        'Sentences about what is in the file, what is not imported, and what follows from that. They name no person, number or key.',
    }),
  })
  .meta({ id: 'Import' })

const HAS_DEVICES: readonly string[] = ['whatsmeow', 'zapo']

export const importInstance = local('admin.importInstance', 'POST /admin/instances/import', {
  access: 'admin',
  summary: 'Import an instance, without pairing it again',
  description:
    'The body is a file: an archive of `POST /admin/instances/{instance_id}/export` or `instance export`, or the data of another program, as `docs/moving.md` ' +
    'shows. Its other fields are in the query. `svc`: an archive. `baileys`: a JSON object that has the files of the folder as its fields. `whatsmeow` and `zapo`: the ' +
    'SQLite file, or rows. `evolution`, `fazer`, `openwa` and `waha`: rows. The instance is connected at once. An instance from an archive keeps its id and, unless the archive is a backup, its ' +
    'token. With `dry_run` nothing is written, and the answer has the same report. Either the whole instance is imported or nothing. ' +
    'Refused with `already_linked` if the device or an instance with its id is already here, with `not_importable` and the reasons in `details.issues` if the file is damaged, has no device or has ' +
    'another passphrase, and with `not_allowed` as the export is. Larger files are imported with the command `instance import`.',
  takesFile: true,
  maxBody: MAX_IMPORT,
  input: {
    from: oneOf(IMPORT_SOURCES).default('svc').meta({ description: 'Program that the device comes from.' }),
    passphrase: plain(MIN_PASSPHRASE, MAX_PASSPHRASE)
      .optional()
      .meta({ description: 'Passphrase of an archive, percent-encoded if it has a `%` or a character that is not ASCII.' }),
    name: displayText(1, 100)
      .optional()
      .meta({ description: 'Name of the instance. Default: the name in the archive, or `Imported device`.' }),
    device: plain(1, 200)
      .optional()
      .meta({ description: 'Device to import, if a database of `whatsmeow` or `zapo` has several.' }),
    stopped: flag(
      'Confirms that the other program is stopped, which a file does not show. Required unless the file is an archive: two programs with one device lose messages.',
    ),
    used_since: flag(
      'The device was used after the file was made. New sessions and group keys are created, so that recipients do not drop messages.',
    ),
    same_token: flag('The instance of a backup keeps its token.'),
    dry_run: flag('Checks and reports, and writes nothing.'),
  },
  inHeaders: { [PASSPHRASE_HEADER]: 'passphrase' },
  check({ from, stopped, device, used_since, same_token, dry_run, passphrase }, issue) {
    const isArchive = from === 'svc'
    if (isArchive && passphrase === undefined) issue('passphrase', 'is required')
    if (isArchive && used_since) issue('used_since', 'has no meaning for an archive')
    if (!isArchive && same_token) issue('same_token', 'has a meaning for archives only')
    if (!isArchive && !dry_run && !stopped) issue('stopped', 'must be true: stop the other program first')
    if (device !== undefined && !HAS_DEVICES.includes(from))
      issue('device', `has a meaning for ${HAS_DEVICES.join(' and ')} only`)
  },
  reply: Import,
  errors: ['not_allowed', 'already_linked', 'instance_limit_reached', 'not_importable', 'engine_unavailable'],
  async handle(call, { from, name, device, used_since, same_token, dry_run, passphrase }) {
    refusePlain(call)
    const { parts, workspace, baseUrl } = call
    const wish = { from, name, device, passphrase, isOld: used_since, hasSameToken: same_token, isDry: dry_run }
    const { instance, report } = await parts.importInstance(workspace, call.file(), wish)
    return { instance: instance === undefined ? null : parts.directory.render(instance, baseUrl), report: [...report] }
  },
  examples: [
    {
      name: 'an archive',
      input: { from: 'svc', passphrase: 'correct horse battery' },
      reply: {
        instance: { ...instanceExample, imported_from: 'svc', imported_at: '2026-01-31T12:00:00.000Z' },
        report: ['The archive has 1019 records and 2 media files, as of 2026-01-31T11:58:00.000Z.'],
      },
    },
    {
      name: 'a dry run',
      input: { from: 'baileys', dry_run: 'true' },
      reply: {
        instance: null,
        report: [
          '214 sessions with devices: 213 taken, 213 converted, 1 not readable. The service asks each of these devices once to send its next message again.',
          '806 one-time keys: 806 taken.',
        ],
      },
    },
  ],
})

export const resumeInstance = local('admin.resumeInstance', 'POST /admin/instances/{instance_id}/resume', {
  access: 'admin',
  summary: 'Start an instance again whose move was cancelled',
  description:
    'For an instance with the reason `moved` whose device was never connected at the other place; refused with `not_allowed` otherwise. If it was connected there, its keys have changed, and ' +
    'recipients would silently drop the first messages from here: delete the instance while it is stopped, and import it again. Messages and events that the command `instance export` put ' +
    'into the archive are not here any more; after a move over HTTP they are.',
  input: { instance_id: uuid.meta({ description: 'The instance.' }) },
  reply: z.object({
    value: z.literal(true),
    status: z.enum(STATUSES).meta({ description: 'Status with which the instance starts.' }),
  }),
  errors: ['not_found', 'not_allowed', 'engine_unavailable'],
  async handle({ parts, workspace }, { instance_id }) {
    return { value: true, status: await parts.resumeInstance(parts.directory.find(workspace, instance_id)) } as const
  },
  examples: [{ name: 'resume', input: { instance_id: instanceExample.id }, reply: { value: true, status: 'disconnected' } }],
})
