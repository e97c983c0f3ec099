/**
 * The words that decide whether an operation reads. A wrong `Query` costs more than a wrong
 * `Mutation`: queries run in parallel, are cached, coalesced, tried again, and sent by GET. An
 * ambiguous name is a mutation.
 */

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Read wherever they stand, and whatever the words behind them are: `GetUpdateHistory`,
 * `Order_GetLines`.
 */
export const READING = setOf(
  'get find fetch retrieve getall getdetail getdetails getinfo getlist getstatus',
);

/** Read as the first word, whatever the words behind it are: `IsLocked`. */
export const READING_FIRST = setOf(
  'is has can who whoami echo exists exist describe lookup inquire enquire peek ping',
);

/** Read as the first word, unless a writing verb stands anywhere: they are nouns as well. */
export const READING_OPEN = setOf(`
  list search query select read load count check view show
  browse inquiry enquiry track display estimate compare
  preview return translate
  abfragen abrufen anzeigen auflisten auslesen berechne berechnen ermitteln ermittle finde
  finden hole holen lese
  lesen liefere liefern pruefe pruefen prufe prufen suche suchen zaehle zaehlen zeige zeigen
  afficher calculer chercher compter consulter lire obtenez obtiens rechercher recupere
  recuperer trouver
  verifier visualiser
  busca calcula calcular comprobar consulta leer lista mostrar obtenga obten obtiene recupera
  recuperar verificar
  calcola calcolare cerca controlla elenca elencare leggere leggi mostra ottenere ottieni
  recuperare ricerca ricercare
  trova trovare verifica verificare visualizza visualizzare
  daj licz lista listuj oblicz odczytaj pobierz pokaz policz przegladaj sprawdz szukaj wyszukaj
  wyswietl znajdz   beregn finn finnes hent kontroller les oppslag sjekk sok vis
  berakna finns hamta hitta kontrollera lasa lista rakna soka   bekijk bereken controleer haal
  lees lezen opvragen ophalen raadpleeg toon vind vinden zoek zoeken
  buscar cercare consultar listar lister obtener obtenir obter pesquisar rechercher
`);

/**
 * Words that write as verbs, and describe the thing where another word follows: behind `list` they
 * decide nothing (`ListExchangeRates`).
 */
export const WRITING_NOUNS = setOf(`
  award build collect copy deposit donate exchange export flag grant hire host hold import
  invite issue join lease
  mark merge move offer open pack pause perform plan poll post press print process promote
  purchase push register release
  repair reply reserve return review run scan share sort split start stop store swap switch sync
  test trade transform
  transmit turn update upgrade vote
`);

/**
 * Verbs of `READING_OPEN` that may write as the first word of a later part of the name:
 * `Data_Load`, `Event_Track`.
 */
export const READING_ONLY_FIRST = setOf('compare load read return select show track translate');

/**
 * Read as the last word, unless a writing verb stands anywhere: `BMButtonSearch`, `BalanceInquiry`,
 * `priceList`.
 */
export const READING_LAST = setOf(`
  list search query inq inquiry enquiry inquire enquire lookup describe browse exists consultar
  abfragen abrufen anzeigen ermitteln finden holen lesen suchen
`);

/** Verbs that may change something, wherever they stand. */
export const WRITING = setOf(`
  abort accept acknowledge ack acquire activate add adjust
  advance allocate allow alter amend append apply approve
  archive assign associate attach authenticate authorise award
  ban begin bind bounce broadcast build bulk bump burn buy
  calibrate call cancel capture checkin checkout clean clear click clone close collect commit
  complete compose confirm connect consume continue convert copy correct crawl create
  deactivate decline decrement delete delist deliver demote deny
  deploy deposit deprovision dequeue destroy detach disable
  disassociate discard disconnect dismiss dispatch dispense dispose donate drop duplicate
  edit eject empty enable encrypt end enqueue enroll enrol enter
  erase escalate establish exec exchange execute expire extend
  finalise finish fire fix flag flush follow force forget forward freeze fulfil fulfill
  generate give grab grant
  halt hide hire hold increment initialise initiate init
  insert install invalidate invite invoke issue
  join keep keepalive kick kill launch leave lend lock login logoff logon logout
  maintain make manage mark mass merge migrate modify mount move mute
  nullify open optimise override pack pause pay perform persist pick poll pop prepare print
  promote
  propose provision publish pull purchase purge push put
  quit reactivate reassign reboot rebuild recalculate
  receive reconcile recover recycle redeem reduce
  refresh refund refuse regenerate register reindex reissue
  reject relist release remit remove rename renew reopen
  reorder repair replace replenish reply repost reprint requeue
  rescind resend reserve reset restart restore resubmit resume
  retry reverse revert revise revoke rollback rotate run
  save scan scrap sell send set setup shutdown signin signout signup
  shuffle sms sort spend split start stop store submit subscribe
  suspend swap switch sync synchronise
  take terminate test throttle toggle topup touch trade
  train transform transmit trash trigger truncate turn
  unassign unblock undelete undo unfollow unfreeze unhold
  uninstall unlink unlist unlock unmark unpack unregister unset
  unsubscribe update upgrade upload upsert vacate validate void vote
  wake whitelist blacklist wipe withdraw write zap
  actualizar alterar anular atualizar borrar bloquear cambiar
  cancelar crear criar eliminar enviar excluir gravar guardar
  incluir insertar inserir modificar registrar salvar
  agregar asignar confirmar dar emitir generar pagar
  aendern aktualisieren anlegen buchen erstellen freigeben
  hinzufuegen loeschen senden setzen sperren speichern stornieren
  ajouter annuler creer enregistrer envoyer modifier mettre payer supprimer valider
  aggiorna aggiornare aggiungi annulla cancella cancellare crea
  creare elimina eliminare inserire inserisci invia inviare
  modifica modificare paga registra salva salvare
  aktualizuj anuluj dodaj edytuj odrzuc oplac podpisz przekaz przeslij rejestruj usun utworz
  wprowadz wyslij zamow zapisz
  zarejestruj zatwierdz zloz zmien
  aktiver aktiviere avbestill avbryt avslutt bekreft bestill betal endre fjern flytt fullfor
  godkjenn lagre legg meld
  oppdater opphev opprett overfor registrer sett slett stopp tildel utsted
  aktivera avboka avsluta bekrafta bestalla betala flytta godkann lagg radera registrera skapa
  skicka spara uppdatera
  aanmaken aanpassen annuleer annuleren bestel bestellen betaal bevestig bijwerken maak opslaan
  registreer stuur
  toevoegen verstuur verwerk verwijder verwijderen verzend voeg wijzig wijzigen zet
  andere andern hinzufugen losche loschen bezahle bezahlen bestaetige bestaetigen bestelle
  bestellen buche entferne entfernen erstelle loesche melde
  melden registriere registrieren schicke sende setze speichere storniere uebermitteln uebertragen
  deposer effacer inscrire inserer soumettre transmettre
  anadir firmar grabar ingresar presentar
  conferma emetti prenota presenta registrare trasmetti
`);

/**
 * Verbs that may change something as the first word; behind another word they are nouns:
 * `Import_GetStatus`.
 */
export const WRITING_FIRST = setOf(`
  async batch block change email export import link post process schedule share sign
`);

/**
 * Verbs that may change something behind a conjunction only; elsewhere they are nouns:
 * `QuoteAndBook`, `BookSearch`.
 */
export const WRITING_BEHIND = setOf(`
  bill book charge claim credit debit file invoice log order
  place quote rate record request ship ticket transfer
`);

/** What customers return. Other things are returned by operations that read them. */
const RETURNED = `
  asset book books car device equipment funds goods item items
  key loan merchandise money order orders parcel payment
  product products purchase rental sale shipment stock vehicle
`
  .trim()
  .split(/\s+/);

/** Two words in a row that write, whatever each of them means. */
export const WRITING_PAIRS: ReadonlySet<string> = new Set([
  ...['check in', 'check out', 'check into', 'log in', 'log on', 'log off', 'log out'],
  ...['sign in', 'sign out', 'sign up', 'ta bort'],
  ...RETURNED.map((thing) => `return ${thing}`),
  // A cursor moves on.
  ...['fetch next', 'iterate next', 'move next', 'read next', 'receive next', 'retrieve next'],
  ...[
    'black list',
    'for update',
    'opt in',
    'opt out',
    'roll back',
    'select seat',
    'select seats',
    'white list',
  ],
  ...[
    'display alert',
    'display message',
    'display text',
    'show alert',
    'show message',
    'show text',
    'with lock',
  ],
  ...[
    'load balance',
    'load card',
    'load cash',
    'load funds',
    'load money',
    'load value',
    'load voucher',
  ],
  ...[
    'track action',
    'track click',
    'track conversion',
    'track event',
    'track goal',
    'track open',
    'track page',
  ],
  ...['track time', 'track view', 'track visit'],
]);

/** Taken from the others when `next` stands before them: `GetNextInvoiceNumber`. */
export const TAKEN_IN_TURN = setOf('id item job key message number sequence serial task value');

export const CONJUNCTIONS = setOf('and or then und et y oraz og och');

/** Read where they end the name of a request message: `AirFareRulesReq`. */
export const READING_REQUESTS = setOf('availability details display history info rules status');

/**
 * Words of operations that answer nothing and read all the same: what counts is that they succeed.
 */
export const READING_WITHOUT_ANSWER = setOf(
  'check echo exists health healthcheck heartbeat is noop ping test validate verify',
);

/**
 * Prefixes that are ignored, so that the word behind them decides: `doGetOrder`, `wsListOrders`;
 * single letters and numbers too.
 */
export const NEUTRAL_FIRST = setOf('do ws svc srv api web soap rpc op sp usp fn my the xml');

/**
 * Suffixes that are ignored, so that the word before them decides: `LowFareSearchReq`,
 * `OrderSearchAsync`; single letters and numbers too.
 */
export const NEUTRAL_LAST = setOf(
  'async asynch call op operation req request rq service svc ws ex',
);

/** The word before the first of them counts as the last: `CustomerListByCity`. */
export const PREPOSITIONS = setOf('by for from in of to using with within');
