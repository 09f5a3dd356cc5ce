/**
 * `instance export`: exports a linked device to another program or server, where it continues without pairing again.
 */
import { command, UsageError } from './command.ts'
import { exportArchive } from './export-archive.ts'
import { exportFolder } from './export-folder.ts'
import { readPassphrase } from './passphrase.ts'

const NAME = 'instance export'

export const exportDevice = command({
  name: NAME,
  summary: 'Move an instance to another server, or its device into a program on Baileys',
  details: [
    'The instance is stopped first and stays stopped, with the reason moved: a device can be connected in one place only. The service may keep',
    'running. --to svc writes the whole instance into an archive, a file that a passphrase encrypts, for `instance import --from svc` at another server:',
    'device, settings, token, webhooks, queue, and events to be delivered. With --backup the instance keeps running, and the archive has no queue and',
    'no events. --to baileys writes the device into a folder, as useMultiFileAuthState of Baileys reads it. Delete the instance when it is connected',
    'at its new place: this does not log the device out. `instance resume` cancels a move if the other program has not connected.',
  ].join('\n'),
  arguments: [
    { name: 'ID', about: 'id of the instance' },
    { name: 'TARGET', about: 'for svc a file to create, for baileys a folder, which may exist if it is empty' },
  ],
  options: {
    to: { value: '<program>', about: 'where the instance goes: svc or baileys', required: true },
    backup: { about: 'with --to svc: only copy the device and the settings; the instance keeps running here' },
    'passphrase-file': {
      value: '<file>',
      about: 'with --to svc: file with the passphrase, at least 12 characters; typed if omitted',
    },
    json: { about: 'print JSON instead of sentences' },
  },
  async run({ config, options, arguments: [id = '', target = ''] }) {
    const { to, backup: isBackup, json: isJson, 'passphrase-file': passphraseFile } = options
    if (to === 'svc') {
      const passphrase = await readPassphrase(passphraseFile, { isNew: true, command: NAME })
      return exportArchive(config, { id, file: target, passphrase, kind: isBackup ? 'backup' : 'move', isJson })
    }
    if (to !== 'baileys') throw new UsageError(`--to is ${JSON.stringify(to)}; it must be svc or baileys.`, NAME)
    if (isBackup || passphraseFile !== undefined)
      throw new UsageError('--backup and --passphrase-file can be used only with --to svc.', NAME)
    return exportFolder(config, id, target, isJson)
  },
})
