/** A row of buttons. The button of the chosen value is pressed. */
interface ChipsProps<T extends string> {
  label: string
  value: T
  options: readonly (readonly [value: T, text: string])[]
  onChange(value: T): void
}

export const Chips = <T extends string>({ label, value, options, onChange }: ChipsProps<T>) => (
  <fieldset class="chips">
    <legend class="only-read-aloud">{label}</legend>
    {options.map(([each, text]) => (
      <button key={each} type="button" class="chip" aria-pressed={each === value} onClick={() => onChange(each)}>
        {text}
      </button>
    ))}
  </fieldset>
)
