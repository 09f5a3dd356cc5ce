/** Translations of the sentences of `domain/health-words.ts` about problems of the service. */
import type { Area } from './area.ts'

export const PROBLEMS = {
  'The store cannot be read.': ['O armazenamento não pode ser lido.', 'El almacenamiento no se puede leer.'],
  'Check the disk and the log; do not start a second service on the same folder.': [
    'Verifique o disco e o log; não inicie um segundo serviço na mesma pasta.',
    'Revise el disco y el registro; no inicie un segundo servicio en la misma carpeta.',
  ],
  'The disk is nearly full: new messages are refused.': [
    'O disco está quase cheio: novas mensagens são recusadas.',
    'El disco está casi lleno: los mensajes nuevos se rechazan.',
  ],
  'Free space on the disk; the service then resumes by itself.': [
    'Libere espaço no disco; o serviço então continua sozinho.',
    'Libere espacio en el disco; el servicio sigue entonces solo.',
  ],
  '{n} thread does not answer: {names}.': ['{n} thread não responde: {names}.', '{n} hilo no responde: {names}.'],
  '{n} threads do not answer: {names}.': ['{n} threads não respondem: {names}.', '{n} hilos no responden: {names}.'],
  'The service restarts it within 30 seconds. If the problem returns, the log shows why the thread ended.': [
    'O serviço o reinicia em até 30 segundos. Se o problema voltar, o log mostra por que ele terminou.',
    'El servicio lo reinicia en 30 segundos como máximo. Si el problema vuelve, el registro muestra por qué terminó.',
  ],
  '{n} thread works without a pause: {names}.': [
    '{n} thread trabalha sem pausa: {names}.',
    '{n} hilo trabaja sin pausa: {names}.',
  ],
  '{n} threads work without a pause: {names}.': [
    '{n} threads trabalham sem pausa: {names}.',
    '{n} hilos trabajan sin pausa: {names}.',
  ],
  'Raise SVC_SHARDS if the machine has unused cores, or move instances to another machine.': [
    'Aumente SVC_SHARDS se a máquina tem núcleos livres, ou mova instâncias para outra máquina.',
    'Aumente SVC_SHARDS si la máquina tiene núcleos libres, o traslade instancias a otra máquina.',
  ],
  'The clock of the machine is ahead, or ids and times of events are.': [
    'O relógio da máquina está adiantado, ou os ids e horários dos eventos estão.',
    'El reloj de la máquina está adelantado, o lo están los ids y las horas de los eventos.',
  ],
  'Synchronise the clock of the machine (NTP). Ids and times that are ahead stay so until real time reaches them.': [
    'Sincronize o relógio da máquina (NTP). Ids e horários adiantados ficam assim até a hora real alcançá-los.',
    'Sincronice el reloj de la máquina (NTP). Los ids y las horas adelantados quedan así hasta que la hora real los alcance.',
  ],
  'A bucket for media cannot be used.': ['Um bucket de mídia não pode ser usado.', 'Un bucket de medios no se puede usar.'],
  'The log has the answer of its server. Check the server, the URL and the credentials; the service then continues by itself.': [
    'O log tem a resposta do servidor dele. Verifique o servidor, a URL e as credenciais; o serviço continua sozinho.',
    'El registro tiene la respuesta de su servidor. Revise el servidor, la URL y las credenciales; el servicio sigue solo.',
  ],
  'No converter for audio and video is installed.': [
    'Nenhum conversor de áudio e vídeo está instalado.',
    'No hay ningún conversor de audio y video instalado.',
  ],
  'Install ffmpeg, or name it in SVC_FFMPEG, and start the service again.': [
    'Instale o ffmpeg, ou indique-o em SVC_FFMPEG, e inicie o serviço de novo.',
    'Instale ffmpeg, o indíquelo en SVC_FFMPEG, e inicie el servicio de nuevo.',
  ],
  'The plan is {status}: nothing can be sent.': [
    'Situação do plano: {status}. Nada pode ser enviado.',
    'Estado del plan: {status}. No se puede enviar nada.',
  ],
  'Change the plan under Keys and access.': ['Altere o plano em Chaves e acesso.', 'Cambie el plan en Claves y acceso.'],
  'The plan does not allow the Account API.': ['O plano não permite a Account API.', 'El plan no permite la Account API.'],
  'The plan ends within a week.': ['O plano termina em menos de uma semana.', 'El plan termina en menos de una semana.'],
  'All instance slots are used.': ['Todas as vagas de instâncias estão em uso.', 'Todos los lugares de instancias están en uso.'],
  'Delete an instance, or raise the number of slots under Keys and access.': [
    'Exclua uma instância, ou aumente o número de vagas em Chaves e acesso.',
    'Elimine una instancia, o aumente el número de lugares en Claves y acceso.',
  ],
  'Most attempts to deliver webhooks failed in the last ten minutes.': [
    'A maioria das tentativas de entregar webhooks falhou nos últimos dez minutos.',
    'La mayoría de los intentos de entregar webhooks falló en los últimos diez minutos.',
  ],
  'The webhook log shows what the receivers answered.': [
    'O registro de webhooks mostra o que os destinos responderam.',
    'El registro de webhooks muestra lo que respondieron los receptores.',
  ],
  'The receiver of {n} instance has not taken events for more than a minute.': [
    'O destino de {n} instância não aceita eventos há mais de um minuto.',
    'El receptor de {n} instancia no acepta eventos desde hace más de un minuto.',
  ],
  'The receivers of {n} instances have not taken events for more than a minute.': [
    'Os destinos de {n} instâncias não aceitam eventos há mais de um minuto.',
    'Los receptores de {n} instancias no aceptan eventos desde hace más de un minuto.',
  ],
  '{n} instance is rejected by the network.': ['{n} instância é recusada pela rede.', '{n} instancia es rechazada por la red.'],
  '{n} instances are rejected by the network.': [
    '{n} instâncias são recusadas pela rede.',
    '{n} instancias son rechazadas por la red.',
  ],
  'Open the app on the phone; it shows why the account is banned and how to request a review.': [
    'Abra o aplicativo no celular; ele mostra por que a conta foi banida e como pedir uma revisão.',
    'Abra la aplicación en el teléfono; muestra por qué la cuenta está bloqueada y cómo pedir una revisión.',
  ],
  '{n} instance is logged out.': ['{n} instância está desconectada da conta.', '{n} instancia está desvinculada.'],
  '{n} instances are logged out.': ['{n} instâncias estão desconectadas da conta.', '{n} instancias están desvinculadas.'],
  'Scan a new QR code with the phone; the queued messages are sent afterwards.': [
    'Escaneie um novo código QR com o celular; as mensagens da fila são enviadas depois.',
    'Escanee un código QR nuevo con el teléfono; los mensajes de la cola se envían después.',
  ],
  '{n} instance is disconnected and reconnecting.': [
    '{n} instância está sem conexão e se reconectando.',
    '{n} instancia está sin conexión y reconectándose.',
  ],
  '{n} instances are disconnected and reconnecting.': [
    '{n} instâncias estão sem conexão e se reconectando.',
    '{n} instancias están sin conexión y reconectándose.',
  ],
  'Wait a few minutes. If the problem stays, check the network of this machine and the proxy of the instance.': [
    'Espere alguns minutos. Se o problema continuar, verifique a rede desta máquina e o proxy da instância.',
    'Espere unos minutos. Si el problema sigue, revise la red de esta máquina y el proxy de la instancia.',
  ],
  '{n} instance is stopped.': ['{n} instância está parada.', '{n} instancia está detenida.'],
  '{n} instances are stopped.': ['{n} instâncias estão paradas.', '{n} instancias están detenidas.'],
  'The page of the instance shows the reason; restart the instance or request a QR code.': [
    'A página da instância mostra o motivo; reinicie a instância ou peça um código QR.',
    'La página de la instancia muestra el motivo; reinicie la instancia o pida un código QR.',
  ],
  '{n} instance is restricted by the network: messages to people who have not written since it was paired stay in the queue.': [
    '{n} instância está restrita pela rede: mensagens a quem não escreveu desde que ela foi conectada ao celular ficam na fila.',
    '{n} instancia está restringida por la red: los mensajes a quienes no escribieron desde que se vinculó quedan en la cola.',
  ],
  '{n} instances are restricted by the network: messages to people who have not written since they were paired stay in the queue.':
    [
      '{n} instâncias estão restritas pela rede: mensagens a quem não escreveu desde que elas foram conectadas ao celular ficam na fila.',
      '{n} instancias están restringidas por la red: los mensajes a quienes no escribieron desde que se vincularon quedan en la cola.',
    ],
  'Wait until the restriction ends. To avoid the next one, send fewer messages to people who do not answer.': [
    'Espere o fim da restrição. Para evitar a próxima, envie menos mensagens a quem não responde.',
    'Espere el fin de la restricción. Para evitar la próxima, envíe menos mensajes a quienes no responden.',
  ],
  '{n} queue is full ({total} messages wait): further messages are refused.': [
    '{n} fila está cheia ({total} mensagens esperam): outras mensagens são recusadas.',
    '{n} cola está llena ({total} mensajes esperan): se rechazan más mensajes.',
  ],
  '{n} queues are full ({total} messages wait in each): further messages are refused.': [
    '{n} filas estão cheias ({total} mensagens esperam em cada uma): outras mensagens são recusadas.',
    '{n} colas están llenas ({total} mensajes esperan en cada una): se rechazan más mensajes.',
  ],
  'The page of the queue shows what it waits for. Connect the instance, or clear its queue.': [
    'A página da fila mostra o que ela espera. Conecte a instância, ou esvazie a fila.',
    'La página de la cola muestra qué espera. Conecte la instancia, o vacíe su cola.',
  ],
  '{n} instance is losing its oldest webhook events.': [
    '{n} instância está perdendo seus eventos de webhook mais antigos.',
    '{n} instancia está perdiendo sus eventos de webhook más antiguos.',
  ],
  '{n} instances are losing their oldest webhook events.': [
    '{n} instâncias estão perdendo seus eventos de webhook mais antigos.',
    '{n} instancias están perdiendo sus eventos de webhook más antiguos.',
  ],
  'The receiver does not accept them. Repair it, or raise SVC_OUTBOX_MAX.': [
    'O destino não os aceita: conserte-o, ou aumente SVC_OUTBOX_MAX.',
    'El receptor no los acepta: repárelo, o aumente SVC_OUTBOX_MAX.',
  ],
  '{n} instance is behind with its webhooks.': [
    '{n} instância está atrasada com seus webhooks.',
    '{n} instancia está atrasada con sus webhooks.',
  ],
  '{n} instances are behind with their webhooks.': [
    '{n} instâncias estão atrasadas com seus webhooks.',
    '{n} instancias están atrasadas con sus webhooks.',
  ],
  'Check the webhook log: the receiver is slow, or its answers are errors.': [
    'Veja o registro de webhooks: o destino é lento, ou suas respostas são erros.',
    'Vea el registro de webhooks: el receptor es lento, o sus respuestas son errores.',
  ],
} as const satisfies Area
