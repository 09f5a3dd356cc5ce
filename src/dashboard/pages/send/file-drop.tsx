import { useState } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'
import { bytesText, Name } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'

interface FileDropProps {
  file: File | undefined
  wrong: string | undefined
  onFile(file: File | undefined): void
}

export function FileDrop({ file, wrong, onFile }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFile(event.dataTransfer?.files[0])
  }
  return (
    <section
      class={`drop ${isOver ? 'over' : ''}`}
      aria-label={t('Drop a file here')}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Field label={t('File')} hint={t('Choose it, or drop it here.')} wrong={wrong}>
        {(tied) => <input {...tied} type="file" onChange={(event) => onFile(event.currentTarget.files?.[0])} />}
      </Field>
      {file ? (
        <p class="soft">
          <Name>{file.name}</Name>, {bytesText(file.size)}
        </p>
      ) : null}
    </section>
  )
}
