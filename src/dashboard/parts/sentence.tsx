/** Shows a text with elements in it. `{name}` stands for the element `name`, and text between backticks is code. */
import type { ComponentChildren } from 'preact'
import type { Text } from '../texts/catalogue.ts'
import { t } from '../texts/t.ts'

interface SentenceProps {
  text: Text
  elements?: Readonly<Record<string, ComponentChildren>>
}

const PARTS = /(\{\w+\}|`[^`]+`)/

export const Sentence = ({ text, elements = {} }: SentenceProps) => (
  <>
    {t(text)
      .split(PARTS)
      .map((part) => {
        if (part.startsWith('{')) return elements[part.slice(1, -1)]
        return part.startsWith('`') ? <code key={part}>{part.slice(1, -1)}</code> : part
      })}
  </>
)
