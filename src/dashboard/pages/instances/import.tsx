/** Imports an instance from a file: an archive of another server, or the data of another program. */
import { useState } from 'preact/hooks'
import { MIN_PASSPHRASE } from '../../../domain/archive.ts'
import { IMPORT_SOURCES, type ImportSource } from '../../../domain/device-bundle.ts'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { go, to } from '../../app/route.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Check, Choice, Field, Line } from '../../parts/field.tsx'
import { t } from '../../texts/t.ts'

const PROGRAMS: Readonly<Record<ImportSource, { name: string; file: string; hasDevices?: true }>> = {
  svc: { name: t('Another server of this service'), file: t('An archive, as its Export makes it.') },
  baileys: { name: 'Baileys', file: t('The folder that has creds.json.') },
  whatsmeow: {
    name: 'whatsmeow (GOWA, WuzAPI)',
    file: t('The SQLite file of the stopped program, or a file of rows.'),
    hasDevices: true,
  },
  zapo: { name: 'zapo', file: t('The SQLite file of the stopped program, or a file of rows.'), hasDevices: true },
  evolution: { name: 'Evolution API', file: t('A file of rows; the page about moving says how to make it.') },
  fazer: { name: 'fazer-ai/baileys-api', file: t('A file of rows; the page about moving says how to make it.') },
  openwa: { name: 'OpenWA', file: t('A file of rows. For a folder, choose Baileys.') },
  waha: { name: 'WAHA', file: t('A file of rows. For a folder, choose Baileys.') },
}

interface Wish {
  from: ImportSource
  files: readonly File[]
  passphrase: string
  device: string
  name: string
  isStopped: boolean
  isOld: boolean
}

const NOTHING: Wish = { from: 'svc', files: [], passphrase: '', device: '', name: '', isStopped: false, isOld: false }

async function bodyOf({ from, files }: Wish): Promise<Blob> {
  if (from !== 'baileys') return files[0]!
  const texts = files.map(async (file) => [file.name, await file.text()] as const)
  return new Blob([JSON.stringify(Object.fromEntries(await Promise.all(texts)))])
}

async function importFile(wish: Wish, isDry: boolean) {
  const { from, passphrase, device, name, isStopped, isOld } = wish
  const isArchive = from === 'svc'
  const query = {
    from,
    ...(device === '' ? {} : { device }),
    ...(name === '' ? {} : { name }),
    ...(isArchive ? {} : { stopped: isStopped, used_since: isOld }),
    dry_run: isDry,
  }
  const header = isArchive ? { 'X-Svc-Passphrase': encodeURIComponent(passphrase) } : {}
  return answer(
    api.POST('/admin/instances/import', {
      params: { query, header },
      headers: { 'Content-Type': 'application/octet-stream' },
      // The generated API types have no type for bytes.
      body: (await bodyOf(wish)) as unknown as string,
      bodySerializer: (body) => body,
    }),
  )
}

function isComplete({ from, files, passphrase, isStopped }: Wish): boolean {
  return files.length > 0 && (from === 'svc' ? passphrase.length >= MIN_PASSPHRASE : isStopped)
}

export function ImportDialog({ onClose }: { onClose(): void }) {
  const [wish, setWish] = useState(NOTHING)
  const [report, setReport] = useState<readonly string[]>()
  const action = useAction(async () => {
    const found = await importFile(wish, report === undefined)
    if (found.instance === null) {
      setReport(found.report)
      return undefined
    }
    onClose()
    go(to(['instances', found.instance.id]))
    return t('The instance is imported.')
  })
  const change = (changed: Partial<Wish>) => {
    setWish({ ...wish, ...changed })
    setReport(undefined)
    action.clear()
  }
  return (
    <ActionDialog
      title={t('Import an instance')}
      onClose={onClose}
      action={action}
      does={report === undefined ? t('Check') : t('Import')}
      isDisabled={!isComplete(wish)}
      fields={['name', 'device', 'X-Svc-Passphrase']}
    >
      <Fields wish={wish} wrong={(field) => action.problem?.issues.get(field)} onChange={change} />
      {report === undefined ? null : (
        <div role="status">
          <p>{t('Nothing has been written yet. The file contains:')}</p>
          <ul>
            {report.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
    </ActionDialog>
  )
}

interface FieldsProps {
  wish: Wish
  wrong(field: string): string | undefined
  onChange(changed: Partial<Wish>): void
}

function Fields({ wish, wrong, onChange }: FieldsProps) {
  const { from, passphrase, device, name, isStopped, isOld } = wish
  const { file, hasDevices } = PROGRAMS[from]
  return (
    <>
      <Field label={t('From')}>
        {(tied) => (
          <Choice
            tied={tied}
            value={from}
            options={IMPORT_SOURCES.map((each) => [each, PROGRAMS[each].name] as const)}
            onChange={(value) => onChange({ ...NOTHING, name, from: value as ImportSource })}
          />
        )}
      </Field>
      <Field label={t('File')} hint={file}>
        {(tied) => (
          <input
            {...tied}
            // The `key` makes Preact create a new element, because a browser cannot turn an existing file chooser into
            // a folder chooser.
            key={from}
            type="file"
            {...(from === 'baileys' ? { webkitdirectory: true } : {})}
            onChange={({ currentTarget: { files } }) => onChange({ files: [...(files ?? [])] })}
          />
        )}
      </Field>
      {from === 'svc' ? (
        <Line
          label={t('Passphrase')}
          hint={t('The passphrase that was chosen for the export.')}
          type="password"
          value={passphrase}
          required
          wrong={wrong('X-Svc-Passphrase')}
          onChange={(value) => onChange({ passphrase: value })}
        />
      ) : (
        <>
          <Check
            label={t('The other program is stopped, for good')}
            hint={t('Two programs with one device take the connection from each other, and messages are lost.')}
            value={isStopped}
            onChange={(value) => onChange({ isStopped: value })}
          />
          <Check
            label={t('The device was used after this file was made')}
            value={isOld}
            onChange={(value) => onChange({ isOld: value })}
          />
        </>
      )}
      {hasDevices ? (
        <Line
          label={t('Device')}
          hint={t('Needed only if the file has several devices.')}
          value={device}
          wrong={wrong('device')}
          onChange={(value) => onChange({ device: value })}
        />
      ) : null}
      <Line
        label={t('Name')}
        hint={t('Name of the new instance. It may be empty.')}
        value={name}
        maxLength={100}
        wrong={wrong('name')}
        onChange={(value) => onChange({ name: value })}
      />
    </>
  )
}
