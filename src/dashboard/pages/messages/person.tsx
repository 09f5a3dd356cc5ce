import type { MessageRow } from '../../../domain/dashboard.ts'
import { Name, phoneText } from '../../parts/words.tsx'

interface PersonProps {
  name: string | null
  phone: string
}

export const Person = ({ name, phone }: PersonProps) => (
  <>
    {name === null ? null : (
      <>
        <Name>{name}</Name>{' '}
      </>
    )}
    <span class="number soft">
      <Name>{phoneText(phone)}</Name>
    </span>
  </>
)

export const Author = ({ participant, participant_name }: Pick<MessageRow, 'participant' | 'participant_name'>) =>
  participant === null ? null : (
    <small>
      <Person name={participant_name} phone={participant} />
    </small>
  )
