import type { Area } from './area.ts'

export const LOG = {
  'The body is erased, because the event was delivered or failed more than 72 hours ago.': [
    'O corpo foi apagado, porque o evento foi entregue ou falhou há mais de 72 horas.',
    'El cuerpo se borró, porque el evento se entregó o falló hace más de 72 horas.',
  ],
  'Is online': ['Está online', 'Está en línea'],
  'Is offline': ['Está offline', 'No está en línea'],
  'Is typing': ['Está digitando', 'Está escribiendo'],
  'Is recording a voice message': ['Está gravando uma mensagem de voz', 'Está grabando un mensaje de voz'],
  'Has stopped typing': ['Parou de digitar', 'Dejó de escribir'],
  'Show the body': ['Mostrar o corpo', 'Mostrar el cuerpo'],
  'The body holds a private message. The log records that you opened it.': [
    'O corpo tem uma mensagem privada. O registro anota que você o abriu.',
    'El cuerpo tiene un mensaje privado. El registro anota que usted lo abrió.',
  ],
  'No attempt yet.': ['Ainda sem tentativa.', 'Todavía sin intentos.'],
  'Sent to': ['Enviado a', 'Enviado a'],
  'Pending or retrying': ['Pendentes ou em nova tentativa', 'Pendientes o reintentando'],
  Chat: ['Conversa', 'Conversación'],
  'Delivered.': ['Entregue.', 'Entregado.'],
  Event: ['Evento', 'Evento'],
  Events: ['Eventos', 'Eventos'],
  'Resend now': ['Reenviar agora', 'Reenviar ahora'],
  Resend: ['Reenviar', 'Reenviar'],
  Resending: ['Reenviando', 'Reenviando'],
  Outcome: ['Resultado', 'Resultado'],
  Happened: ['Aconteceu', 'Ocurrió'],
  'Next try': ['Próxima tentativa', 'Próximo intento'],
  'Event id': ['Id do evento', 'Id del evento'],
  Attempts: ['Tentativas', 'Intentos'],
  Body: ['Corpo', 'Cuerpo'],
  'The receiver did not accept it: {answer}': ['O destino não aceitou: {answer}', 'El receptor no lo aceptó: {answer}'],
  'no answer': ['sem resposta', 'sin respuesta'],
  'Delivered or failed': ['Entregues ou com falha', 'Entregados o fallidos'],
  'No event was sent, because no event in this range still has its body.': [
    'Nenhum evento foi enviado, porque nenhum neste período ainda tem o corpo.',
    'No se envió ningún evento, porque ninguno en este período tiene todavía su cuerpo.',
  ],
  'Scheduled again: {total}. Still waiting: {waiting}.': [
    'Agendados de novo: {total}. Ainda esperam: {waiting}.',
    'Programados de nuevo: {total}. Todavía esperan: {waiting}.',
  ],
  'Scheduled again: {total}. Other events in this range are waiting too, so the progress of these cannot be counted.': [
    'Agendados de novo: {total}. Outros eventos deste período também esperam, por isso não é possível contar o andamento destes.',
    'Programados de nuevo: {total}. Otros eventos de este período también esperan, por lo que no se puede contar el avance de estos.',
  ],
  'An event that is refused again is retried on its schedule. You may close this window; the replay continues.': [
    'Um evento recusado outra vez é tentado de novo conforme a programação. Você pode fechar esta janela; o reenvio continua.',
    'Un evento rechazado de nuevo se reintenta según su programación. Puede cerrar esta ventana; el reenvío continúa.',
  ],
  'Done: {total}. None of them is waiting any more.': [
    'Concluído: {total}. Nenhum deles espera mais.',
    'Terminado: {total}. Ninguno de ellos espera ya.',
  ],
  'See which were delivered and which failed': [
    'Ver quais foram entregues e quais falharam',
    'Ver cuáles se entregaron y cuáles fallaron',
  ],
  'Resend a range': ['Reenviar um período', 'Reenviar un período'],
  'The events in the range whose bodies are still stored are scheduled again, in order; the oldest 10,000 at a time.': [
    'Os eventos do período cujo corpo ainda está guardado são agendados de novo, em ordem; os 10.000 mais antigos por vez.',
    'Los eventos del período cuyo cuerpo todavía se guarda se programan de nuevo, en orden; los 10.000 más antiguos por vez.',
  ],
  'The range has more events, from {time} on.': [
    'O período tem mais eventos, a partir de {time}.',
    'El período tiene más eventos, a partir de {time}.',
  ],
  'Resend the next': ['Reenviar os próximos', 'Reenviar los siguientes'],
  'Only events of the instance and type that the list shows now are included.': [
    'Só entram eventos da instância e do tipo que a lista mostra agora.',
    'Solo se incluyen eventos de la instancia y del tipo que la lista muestra ahora.',
  ],
  'Events of all instances are included.': [
    'Entram eventos de todas as instâncias.',
    'Se incluyen eventos de todas las instancias.',
  ],
  'Not delivered: waiting, retrying or failed': [
    'Não entregues: em espera, em nova tentativa ou com falha',
    'No entregados: en espera, reintentando o fallidos',
  ],
  Any: ['Todos', 'Todos'],
  Type: ['Tipo', 'Tipo'],
  '{events} chosen': ['{events} na seleção', '{events} en la selección'],
  '{events} will be sent again, one at a time per instance.': [
    '{events}: reenvio agendado, um de cada vez por instância.',
    '{events}: reenvío programado, uno por vez en cada instancia.',
  ],
  '{n} cannot be resent: the body is no longer stored, or the type has no URL.': [
    '{n} não podem ser reenviados: o corpo não está mais guardado, ou o tipo não tem URL.',
    '{n} no se pueden reenviar: el cuerpo ya no se guarda, o el tipo no tiene URL.',
  ],
  '{event} of {instance}: attempts and body': [
    '{event} de {instance}: tentativas e corpo',
    '{event} de {instance}: intentos y cuerpo',
  ],
  'Last answer': ['Última resposta', 'Última respuesta'],
  'HTTP 500, a word of an answer, a number': ['HTTP 500, uma palavra, um número', 'HTTP 500, una palabra, un número'],
  'In this range: {events}. Those whose bodies are still stored are sent again.': [
    'Neste período: {events}. Os que ainda têm o corpo guardado são enviados de novo.',
    'En este período: {events}. Se reenvían los que aún tienen el cuerpo guardado.',
  ],
  'Search further': ['Buscar mais', 'Buscar más'],
  'Searched back to {time}.': ['Busca feita até {time}.', 'Búsqueda hecha hasta {time}.'],
  'No event fits': ['Nenhum evento corresponde', 'Ningún evento coincide'],
  'Entries are kept for seven days.': ['Os registros ficam por sete dias.', 'Los registros se guardan siete días.'],
  'No events yet': ['Ainda não há eventos', 'Todavía no hay eventos'],
  'Set a webhook URL for an instance (Instances, then the instance, then Webhooks). This page then lists every event with the answer of your program.':
    [
      'Defina uma URL de webhook para uma instância (Instâncias, a instância, Webhooks). Esta página lista então cada evento com a resposta do seu programa.',
      'Defina una URL de webhook para una instancia (Instancias, la instancia, Webhooks). Esta página muestra entonces cada evento con la respuesta de su programa.',
    ],

  'Live events': ['Eventos ao vivo', 'Eventos en vivo'],
  'The events of an instance while this page is open, as a webhook would get them. They hold private messages. Copy one as a test to post it to your receiver.':
    [
      'Os eventos de uma instância enquanto esta página está aberta, como um webhook os receberia. Eles têm mensagens privadas. Copie um como teste para enviá-lo ao seu destino.',
      'Los eventos de una instancia mientras esta página está abierta, como los recibiría un webhook. Tienen mensajes privados. Copie uno como prueba para enviarlo a su receptor.',
    ],
  'The stream was refused; it is tried again.': [
    'O fluxo foi recusado; nova tentativa em instantes.',
    'El flujo fue rechazado; se intentará de nuevo.',
  ],
  'event as a test': ['o evento como teste', 'el evento como prueba'],
  'Nothing has happened yet': ['Nada aconteceu ainda', 'Todavía no pasó nada'],
  'Send or receive a message: its events appear here at once, also without a webhook.': [
    'Envie ou receba uma mensagem: os eventos aparecem aqui na hora, mesmo sem webhook.',
    'Envíe o reciba un mensaje: sus eventos aparecen aquí al instante, también sin webhook.',
  ],
  'Events, newest first': ['Eventos, o mais recente primeiro', 'Eventos, el más reciente primero'],
} as const satisfies Area
