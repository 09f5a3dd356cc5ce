/** The beginning of a receiver's answer. It is always shown as text, even if its content type is another one. */

import { t } from '../texts/t.ts'
import { visible } from './words.tsx'

interface AnswerFoldProps {
  /** Text of the answer. Null if there was no answer, or if it was empty; undefined if the key may not see it. */
  text: string | null | undefined
  isOpen?: boolean
}

export const AnswerFold = ({ text, isOpen = false }: AnswerFoldProps) =>
  typeof text !== 'string' ? null : (
    <details class="answer" open={isOpen}>
      <summary>{t('What the receiver answered')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so takes the focus to be scrolled with the keyboard */}
      <pre class="text" tabIndex={0}>
        {visible(text)}
      </pre>
    </details>
  )
