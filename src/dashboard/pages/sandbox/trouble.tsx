/** Buttons that cause troubles that a real account may have. Users can see how their own program reacts. */
import { useState } from 'preact/hooks'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'
import { ban, cut, type Phone, restrict, setNetwork, unlink } from './control.ts'

const HOUR_S = 3_600

interface Trouble {
  name: string
  cause(phone: string): Promise<unknown>
  done: string
}

const TROUBLES: readonly Trouble[] = [
  { name: t('Unlink'), cause: unlink, done: t('The phone has removed its linked devices.') },
  {
    name: t('Restrict'),
    cause: (phone) => restrict(phone, HOUR_S),
    done: t('The account may not write to strangers for an hour.'),
  },
  { name: t('Lift'), cause: (phone) => restrict(phone, 0), done: t('The restriction has ended.') },
  { name: t('Ban'), cause: ban, done: t('The account is suspended for an hour.') },
  { name: t('Cut'), cause: cut, done: t('The connection was cut; the instance reconnects.') },
]

export function Troubles({ phone: { phone, devices }, reload }: { phone: Phone; reload(): Promise<void> }) {
  const action = useAction(async ({ cause, done }: Trouble) => {
    await cause(phone)
    await reload()
    return done
  })
  if (devices.length === 0) return null
  return (
    <fieldset class="troubles">
      <legend>{t('Trouble')}</legend>
      {TROUBLES.map((each) => (
        <Button key={each.name} isDisabled={action.isBusy} onPress={() => action.run(each)}>
          {each.name}
        </Button>
      ))}
      <Problem of={action.problem} />
    </fieldset>
  )
}

export function NetworkSwitch() {
  const [isDown, setDown] = useState(false)
  const action = useAction(async () => {
    await setNetwork(!isDown)
    setDown(!isDown)
    return isDown ? t('The network is back.') : t('The network is down: nothing connects until you turn it on again.')
  })
  return (
    <div class="row">
      <Button isBusy={action.isBusy} onPress={() => action.run()} pressed={isDown}>
        {t('Network offline')}
      </Button>
      <Problem of={action.problem} />
    </div>
  )
}
