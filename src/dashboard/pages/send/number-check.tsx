import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'

interface NumberCheckProps {
  instance: string
  phone: string
}

export function NumberCheck({ instance, phone }: NumberCheckProps) {
  const { run, isBusy, problem } = useAction(async () => {
    const params = { path: { ...of(instance), phone } }
    const { exists } = await answer(api.GET('/instances/{instance_id}/token/{token}/phone-exists/{phone}', { params }))
    const number = `+${phone}`
    return exists ? t('{number} is on WhatsApp.', { number }) : t('{number} is not on WhatsApp.', { number })
  })
  return (
    <>
      <Button look="link" isBusy={isBusy} isDisabled={!/^\d{5,20}$/.test(phone)} onPress={() => run()}>
        {t('Is this number on WhatsApp?')}
      </Button>
      <Problem of={problem} />
    </>
  )
}
