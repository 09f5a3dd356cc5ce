import { useState } from 'preact/hooks'
import { ARCHIVE_KINDS, type ArchiveKind, MIN_PASSPHRASE } from '../../../domain/archive.ts'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { t } from '../../texts/t.ts'

const WORDS: Readonly<Record<ArchiveKind, { name: string; about: string; done: string }>> = {
  backup: {
    name: t('Make a backup'),
    about: t('The instance keeps running. The archive contains its device and its settings, but no waiting messages.'),
    done: t('The backup is saved.'),
  },
  move: {
    name: t('Move to another server'),
    about: t(
      'The instance is stopped here and stays stopped. The archive contains everything, including the queue. Import it at the other server, then delete the instance here.',
    ),
    done: t('The archive is saved, and the instance is stopped here.'),
  },
}

export function Export({ row, onClose }: { row: InstanceRow; onClose(): void }) {
  const [kind, setKind] = useState<ArchiveKind>('backup')
  const [passphrase, setPassphrase] = useState('')
  const action = useAction(async () => {
    const params = { path: { instance_id: row.id } }
    const body = { kind, passphrase }
    const file = await answer(api.POST('/admin/instances/{instance_id}/export', { params, body, parseAs: 'blob' }))
    saveFile(file as Blob, `${row.id}.age`)
    onClose()
    return WORDS[kind].done
  })
  return (
    <ActionDialog
      title={t('Export the instance')}
      onClose={onClose}
      action={action}
      does={t('Save the archive')}
      isDisabled={passphrase.length < MIN_PASSPHRASE}
      fields={['passphrase']}
    >
      <Field label={t('Purpose')} hint={WORDS[kind].about}>
        {(tied) => (
          <Choice
            tied={tied}
            value={kind}
            options={ARCHIVE_KINDS.map((each) => [each, WORDS[each].name] as const)}
            onChange={(value) => setKind(value as ArchiveKind)}
          />
        )}
      </Field>
      {row.status_reason === 'paused' ? (
        <p>{t('The archive does not keep the pause: the instance connects as soon as it is imported.')}</p>
      ) : null}
      <Line
        label={t('Passphrase')}
        hint={t('It encrypts the archive and is not stored anywhere. At least {n} characters.', { n: MIN_PASSPHRASE })}
        type="password"
        value={passphrase}
        required
        wrong={action.problem?.issues.get('passphrase')}
        onChange={setPassphrase}
      />
    </ActionDialog>
  )
}
