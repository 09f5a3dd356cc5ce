import { useEvery, useLoad } from '../../app/load.ts'
import { Notice, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { t } from '../../texts/t.ts'
import { loadState } from './control.ts'
import { Conversation } from './conversation.tsx'
import { Phones } from './phones.tsx'

const LOOK_EVERY_MS = 3_000

export function SandboxPage() {
  const { data, problem, reload } = useLoad(loadState, [])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <div class="page">
      <header>
        <h1>{t('Sandbox')}</h1>
        <p class="lead">
          {t(
            'A simulated network on this machine: simulated phones and people that use the real protocol and the real encryption.',
          )}
        </p>
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data ? (
        <>
          {data.phones.length === 0 ? (
            <Notice>
              <div>
                <Sentence
                  text="Create a phone, create an instance and scan its code with the phone, then send messages. Every number here is a person who answers a text that begins with {echo}."
                  elements={{ echo: <code>echo</code> }}
                />
              </div>
            </Notice>
          ) : null}
          <div class="columns">
            <Phones state={data} reload={reload} />
            <Conversation state={data} reload={reload} />
          </div>
        </>
      ) : null}
    </div>
  )
}
