import type { InstanceRow } from '../../domain/dashboard.ts'
import { t } from '../texts/t.ts'
import { phoneText } from './words.tsx'

/**
 * Shows the number of an instance. After a logout it is the last number, because people know their instances by their
 * numbers.
 */
export const NumberOf = ({ row: { phone, last_phone } }: { row: Pick<InstanceRow, 'phone' | 'last_phone'> }) =>
  phone === null && last_phone !== null ? (
    <span class="soft number">{t('last: {phone}', { phone: phoneText(last_phone) })}</span>
  ) : (
    <span class="number">{phoneText(phone)}</span>
  )
