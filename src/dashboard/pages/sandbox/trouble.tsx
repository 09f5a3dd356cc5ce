/** Buttons that cause the trouble that a real account may have, so that one can see what the service and one's own program do then. */
import { useState } from 'preact/hooks'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { ban, cut, type Phone, restrict, setNetwork, unlink } from './control.ts'

const HOUR_S = 3_600

interface Trouble {
  name: string
  cause(phone: string): Promise<unknown>
  done: string
}

const TROUBLES: readonly Trouble[] = [
  { name: 'Unlink', cause: unlink, done: 'The phone has removed its linked devices.' },
  { name: 'Restrict', cause: (phone) => restrict(phone, HOUR_S), done: 'The account may not write to strangers for an hour.' },
  { name: 'Lift', cause: (phone) => restrict(phone, 0), done: 'The restriction has ended.' },
  { name: 'Ban', cause: ban, done: 'The account is suspended for an hour.' },
  { name: 'Cut', cause: cut, done: 'The connection was cut; the instance reconnects.' },
]

/** The troubles of one phone. They need a linked device. */
export function Troubles({ phone: { phone, devices }, reload }: { phone: Phone; reload(): Promise<void> }) {
  const action = useAction(async ({ cause, done }: Trouble) => {
    await cause(phone)
    await reload()
    return done
  })
  if (devices.length === 0) return null
  return (
    <fieldset class="troubles">
      <legend>Trouble</legend>
      {TROUBLES.map((each) => (
        <Button key={each.name} isDisabled={action.isBusy} onPress={() => action.run(each)}>
          {each.name}
        </Button>
      ))}
      <Problem of={action.problem} />
    </fieldset>
  )
}

/** Turns the whole simulated network off and on again. */
export function NetworkSwitch() {
  const [isDown, setDown] = useState(false)
  const action = useAction(async () => {
    await setNetwork(!isDown)
    setDown(!isDown)
    return isDown ? 'The network is back.' : 'The network is down: nothing connects until you turn it on again.'
  })
  return (
    <div class="row">
      <Button isBusy={action.isBusy} onPress={() => action.run()} pressed={isDown}>
        Network offline
      </Button>
      <Problem of={action.problem} />
    </div>
  )
}
