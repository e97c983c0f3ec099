/** Operations of one maker, by what they do according to its documentation. */
export interface OperationNames {
  readonly maker: string;
  readonly reads: string;
  readonly writes: string;
  /** They read, but their words do not tell: mutations until the mapping says otherwise. */
  readonly untold: string;
}

/** Names of operations of well-known services, validated one by one. */
export const OPERATION_NAMES: readonly OperationNames[] = [
  {
    maker: 'PayPal',
    reads: `BMButtonSearch BMGetButtonDetails BMGetInventory GetBalance \
GetBillingAgreementCustomerDetails
      GetExpressCheckoutDetails GetPalDetails GetRecurringPaymentsProfileDetails \
GetTransactionDetails TransactionSearch
      GetBoardingDetails GetAccessPermissionDetails GetMobileStatus`,
    writes: `BMCreateButton BMManageButtonStatus BMSetInventory BMUpdateButton \
BillOutstandingAmount BillUser
      BillAgreementUpdate CompleteRecoupment CreateBillingAgreement CreateMobilePayment \
CreateRecurringPaymentsProfile
      DoAuthorization DoCancel DoCapture DoDirectPayment DoExpressCheckoutPayment \
DoMobileCheckoutPayment
      DoNonReferencedCredit DoReauthorization DoReferenceTransaction DoUATPAuthorization DoVoid \
EnterBoarding
      ExecuteCheckoutOperations ExternalRememberMeOptOut InitiateRecoupment \
ManagePendingTransactionStatus
      ManageRecurringPaymentsProfileStatus MassPay RefundTransaction ReverseTransaction \
SetAccessPermissions
      SetCustomerBillingAgreement SetExpressCheckout SetMobileCheckout UpdateAccessPermissions \
UpdateAuthorization
      UpdateRecurringPaymentsProfile CancelRecoupment`,
    untold: 'AddressVerify',
  },
  {
    maker: 'Amadeus',
    reads: `PNR_Retrieve PNR_RetrieveAndDisplay PNR_DisplayHistory PNR_List Queue_List \
Queue_CountTotal
      Fare_MasterPricerTravelBoardSearch Fare_CheckRules Fare_GetFareRules \
Fare_DisplayFaresForCityPair
      Fare_GetRulesOfPricedItinerary Fare_DisplayBookingCodeInformation Air_RetrieveSeatMap \
Air_TLAGetAvailability
      Ticket_DisplayTST Ticket_DisplayTSMP Ticket_CheckEligibility Ticket_RetrieveListOfTSM
      Ticket_ATCShopperMasterPricerTravelBoardSearch MiniRule_GetFromPricingRec \
MiniRule_GetFromETicket
      PointOfRef_Search PointOfRef_CategoryList PriceXplorer_ExtremeSearch \
SalesReports_DisplayQueryReport
      TTR_DisplayTrip Media_GetMedia`,
    writes: `Security_Authenticate Security_SignOut PNR_AddMultiElements PNR_Cancel \
PNR_TransferOwnership PNR_NameChange
      Queue_PlacePNR Queue_RemoveItem Queue_MoveItem Fare_PricePNRWithBookingClass \
Fare_PricePNRWithLowestFare
      Fare_RebookAndCreateTST Air_SellFromRecommendation Air_RebookAirSegment \
FOP_CreateFormOfPayment
      Ticket_CreateTSTFromPricing Ticket_DeleteTST Ticket_UpdateTSMP Ticket_AddDocNumber \
Ticket_CancelDocument
      Ticket_ProcessEDoc Ticket_ReissueConfirmedPricing DocIssuance_IssueTicket DocRefund_InitRefund
      DocRefund_ProcessRefund Offer_CreateOffer Offer_ConfirmAirOffer Hotel_Sell Car_Sell \
Car_Modify Command_Cryptic
      Hotel_CompleteReservationDetails Fare_PriceUpsellPNR`,
    untold: `Fare_MasterPricerCalendar Fare_InformativePricingWithoutPNR Air_MultiAvailability \
Air_FlightInfo
      Info_EncodeDecodeCity Fare_ConvertCurrency Hotel_DescriptiveInfo Hotel_Terms \
Car_Availability Fare_SellByFareSearch
      Fare_CalculateMileage Offer_VerifyOffer FOP_ValidateFOP`,
  },
  {
    maker: 'Travelport (request elements)',
    reads: `VehicleSearchAvailabilityReq HotelSearchAvailabilityReq HotelDetailsReq \
FlightDetailsReq AirFareDisplayReq AirFareRulesReq LowFareSearchReq AvailabilitySearchReq \
UniversalRecordRetrieveReq ProviderReservationDisplayDetailsRetrieveReq
      UniversalRecordSearchReq AirRetrieveDocumentReq  LowFareSearchAsynchReq \
RetrieveLowFareSearchReq
      HotelMediaLinksRetrieveReq BookingTravelerSearchReq GdsQueueCountRetrieveReq GdsQueueListReq`,
    writes: `AirCreateReservationReq UniversalRecordModifyReq UniversalRecordCancelReq \
UniversalRecordImportReq AirTicketingReq
      AirVoidDocumentReq AirExchangeReq AirRefundReq HotelCreateReservationReq \
VehicleCreateReservationReq AirMerchandisingFulfillmentReq
      AirCancelReq GdsQueuePlaceReq GdsEnterQueueReq GdsExitQueueReq ProfileCreateReq \
ProfileDeleteReq SavedTripCreateReq
      AckScheduleChangeReq EMDIssuanceReq`,
    untold: `AirPriceReq SeatMapReq FlightInformationReq
      ScheduleSearchReq SystemTimeReq CurrencyConversionReq 
      GdsQueueCountReq AirRepriceReq`,
  },
  {
    maker: 'Workday',
    reads: `Get_Workers Get_Worker_Event_History Get_Organizations \
Get_Change_Work_Contact_Information Get_Import_Processes
      Get_Submit_Payroll_Inputs Get_Applicants Find_Employee Get_Update_Academic_Appointment_Track \
Get_Assign_Pay_Group
      Get_Customer_Invoices Get_References`,
    writes: `Put_Applicant Change_Job Hire_Employee Terminate_Employee Add_Update_Organization \
Assign_Organization
      Edit_Worker_Additional_Data Maintain_Contact_Information Submit_Customer_Invoice \
Cancel_Business_Process
      Import_Payroll_Input Request_One-Time_Payment Put_Location Rescind_Business_Process \
Move_Candidate
      Contract_Contingent_Worker Manage_Union_Membership Enter_Time_Off \
Transfer_Employees_to_Supervisory_Organization`,
    untold: '',
  },
  {
    maker: 'Microsoft Exchange',
    reads: `FindFolder FindItem FindPeople FindConversation GetFolder GetItem GetAttachment \
GetDelegate GetUserAvailabilityRequest
      GetServerTimeZones GetInboxRules GetMailTips GetRoomLists GetUserOofSettings \
SearchMailboxes GetStreamingEvents`,
    writes: `CreateFolder CreateItem CreateAttachment CopyFolder CopyItem DeleteFolder DeleteItem \
EmptyFolder MoveItem
      MarkAllItemsAsRead MarkAsJunk SendItem SetUserOofSettings Subscribe Unsubscribe \
SyncFolderItems UpdateFolder
      UpdateInboxRules UploadItems AddDelegate RemoveDelegate ArchiveItem ApplyConversationAction \
DisableApp InstallApp
      PlayOnPhone DisconnectPhoneCall`,
    untold: 'ResolveNames ExpandDL ConvertId ExportItems',
  },
  {
    maker: 'NetSuite',
    reads: `get getAll getList getDeleted getSavedSearch getServerTime getItemAvailability \
getSelectValue getBudgetExchangeRate
      search searchMore searchMoreWithId searchNext checkAsyncStatus getAsyncResult \
getPostingTransactionSummary
      getDataCenterUrls getCustomizationId`,
    writes: `add addList update updateList upsert upsertList delete deleteList attach detach \
asyncAddList asyncUpdateList
      asyncDeleteList asyncGetList asyncSearch login logout ssoLogin mapSso changePassword \
updateInviteeStatus
      initialize initializeList`,
    untold: '',
  },
  {
    maker: 'Salesforce',
    reads: `query queryAll queryMore retrieve search describeSObject describeSObjects \
describeGlobal describeLayout getUserInfo
      getServerTimestamp getUpdated getDeleted findDuplicates describeTabs listMetadata \
checkRetrieveStatus
      readMetadata`,
    writes: `login logout create update upsert delete undelete merge process convertLead \
emptyRecycleBin sendEmail setPassword
      resetPassword invalidateSessions performQuickActions deploy deployRecentValidation \
cancelDeploy createMetadata
      renameMetadata executeanonymous runTests compileClasses`,
    untold: 'checkDeployStatus',
  },
  {
    maker: 'ONVIF',
    reads: `GetDeviceInformation GetProfiles GetStreamUri GetSnapshotUri GetSystemDateAndTime \
GetServices GetUsers
      GetRecordingSearchResults GetNetworkInterfaces GetCompatibleAudioDecoderConfigurations \
GetStatus GetPresets
      FindRecordings GetAccessPointInfoList`,
    writes: `SetHostname SetSystemDateAndTime CreateUsers DeleteUsers SystemReboot CreateProfile \
AddVideoEncoderConfiguration
      RemovePTZConfiguration StartMulticastStreaming StopMulticastStreaming ContinuousMove \
AbsoluteMove GotoHomePosition
      Stop Renew Unsubscribe Seek PullMessages CreatePullPointSubscription UpgradeSystemFirmware \
StartFirmwareUpgrade
      SetSynchronizationPoint LockDoor EndSearch SendAuxiliaryCommand RestoreSystem AccessDoor`,
    untold: '',
  },
  {
    maker: 'SharePoint',
    reads: `GetListItems GetListCollection GetList GetListItemChanges GetAttachmentCollection \
GetVersionCollection GetItem
      Query QueryEx GetUserInfo GetWebCollection SearchPrincipals GetUserProfileByName`,
    writes: `AddAttachment AddList AddListFromFeature ApplyContentTypeToList CheckInFile \
CheckOutFile UndoCheckOut CopyIntoItems
      CreateContentType DeleteAttachment DeleteList UpdateList UpdateListItems \
UpdateListItemsWithKnowledge AddUserToGroup
      RemoveUserFromSite RestoreVersion DeleteAllVersions`,
    untold: 'WebUrlFromPageUrl Status ResolvePrincipals',
  },
  {
    maker: 'Microsoft Dynamics',
    reads: `Retrieve RetrieveMultiple Read ReadMultiple ReadByRecId IsUpdated GetRecIdFromKey find \
findKeys read getKeys
      queryVendorInvoice`,
    writes: `Create Update Delete Execute Associate Disassociate CreateMultiple UpdateMultiple \
Delete_PurchLines
      CalculatePrice AssignIncident SetStateInvoice`,
    untold: '',
  },
  {
    maker: 'eBay',
    reads: `FindProducts GetItem GetMyeBayBuying GetSellerList GetItemTransactions GetOrders \
GetCategories FindPopularItems
      findItemsByKeywords findCompletedItems getSearchKeywordsRecommendation getHistograms \
GetUserDisputes GetShippingCosts`,
    writes: `AddItem AddItems AddFixedPriceItem ReviseItem ReviseInventoryStatus RelistItem \
EndItem EndItems CompleteSale
      LeaveFeedback PlaceOffer RespondToBestOffer SendInvoice SetNotificationPreferences \
UploadSiteHostedPictures
      AddToWatchList RemoveFromWatchList ConfirmIdentity ExtendSiteHostedPictures IssueRefund \
RevokeToken VeROReportItems`,
    untold: 'VerifyAddItem ValidateTestUserRegistration GeteBayOfficialTime',
  },
  {
    maker: 'FedEx, UPS, DHL',
    reads: `getRates track getTrackingDocuments searchLocations trackShipment trackAndGetSignature \
getPickupAvailability
      retrieveJobResults getManifest getLabel TrackShipmentRequest TrackRequest`,
    writes: `processShipment deleteShipment processTag deleteTag createPickup cancelPickup \
createShipmentOrder
      sendNotifications uploadDocuments closeWithDocuments groundClose ProcessShipConfirm \
ProcessShipAccept ProcessVoid
      reprintGroundCloseDocuments deleteShipmentOrder doManifest createShipmentRequest`,
    untold:
      'addressValidation validatePostal serviceAvailability ProcessRate ProcessTrack ProcessXAV',
  },
  {
    maker: 'Magento',
    reads: `catalogProductList catalogCategoryAttributeList salesOrderList customerCustomerList \
catalogInventoryStockItemList
      directoryCountryList salesOrderShipmentGetCarriers catalogProductGetSpecialPrice
      catalogProductAttributeMediaList catalogProductTypeList`,
    writes: `startSession endSession login catalogProductCreate catalogProductUpdate \
catalogProductDelete
      catalogProductSetSpecialPrice salesOrderHold salesOrderUnhold salesOrderCancel \
salesOrderInvoiceCapture
      salesOrderInvoiceVoid salesOrderAddComment shoppingCartOrder shoppingCartProductAdd \
shoppingCartCreate
      catalogCategoryMove catalogCategoryAssignProduct catalogProductAttributeMediaCurrentStore \
customerCustomerCreate
      catalogInventoryStockItemUpdate salesOrderShipmentSendInfo catalogCategoryRemoveProduct`,
    untold:
      'storeList catalogProductInfo salesOrderInfo magentoInfo catalogCategoryTree storeInfo ' +
      'catalogProductAttributeMediaInfo',
  },
  {
    maker: 'Jira, AdWords, Authorize.Net, Cybersource',
    reads: `getIssue getIssuesFromJqlSearch hasPermissionToCreateWorklog getFavouriteFilters \
getServerInfo
      GetTransactionList GetCustomerProfile getBatchStatistics get query IsAlive`,
    writes: `addComment createIssue updateIssue progressWorkflowAction login logout archiveVersion \
deleteProject
      releaseVersion mutate CreateTransaction CreateCustomerProfile RefundOrVoid runTransaction
      AuthenticateTest UpdateSplitTenderGroup`,
    untold: 'ValidateCustomerPaymentProfile',
  },
  {
    maker: 'tax offices and central banks (BR, AR, ES, RU, EU)',
    reads: `consultaCadastro consultarNfse ConsultarLoteRps ConsultarSituacaoLoteRps \
FECompConsultar FEParamGetTiposCbte FEParamGetPtosVenta
      checkVat checkVatApprox GetCursOnDate GetReutersCursOnDate EnumValutes_Get GetLatestDateTime \
getPersona listarFacturas
      obtenerFactura`,
    writes: `RecepcionarLoteRps CancelarNfse EnviarLoteRps GerarNfse nfeRecepcaoEvento \
nfeAutorizacaoLote FECAESolicitar
      FECAEASinMovimientoInformar loginCms SuministroLRFacturasEmitidas \
AnulacionLRFacturasEmitidas CancelarConsulta
      GuardarLista importHouseData eliminarFactura registrarBusqueda`,
    untold: 'nfeStatusServicoNF nfeConsultaNF FECompUltimoAutorizado FEDummy EnumValutes dummy',
  },
  {
    maker: 'VMware and VirtualBox',
    reads: `RetrieveServiceContent RetrieveProperties CheckForUpdates QueryPerf QueryEvents \
FindByUuid FindByInventoryPath
      QueryVMotionCompatibility ListFilesInGuest FetchDVPorts LookupDvPortGroup \
IVirtualBox_getVersion
      IVirtualBox_findMachine IMachine_getName IMachine_querySavedScreenshotPNGSize \
IVirtualBox_checkFirmwarePresent
      IGuestSession_fileExists IManagedObjectRef_getInterfaceName`,
    writes: `ContinueRetrievePropertiesEx CreateVM_Task PowerOnVM_Task CloneVM_Task Destroy_Task \
Rename_Task WaitForUpdatesEx
      CancelWaitForUpdates AcquireLocalTicket CloneSession MarkAsTemplate \
InitiateFileTransferFromGuest
      ScanHostPatch_Task RefreshDVPortState IVirtualBox_createMachine IMachine_lockMachine \
IMachine_setName
      IMachine_launchVMProcess IMachine_showConsoleWindow ISession_unlockMachine IFile_read \
IFile_write IAppliance_read
      IManagedObjectRef_release IWebsessionManager_logon`,
    untold: 'CurrentTime ExportVApp ValidateMigration IMachine_canShowConsoleWindow',
  },
  {
    maker: 'Amazon EC2, Bing Ads, Marketo, IFX',
    reads: `DescribeInstances GetConsoleOutput GetPasswordData GetAccountsInfo \
FindAccountsOrCustomersInfo SearchAccounts
      GetBulkDownloadStatus listSObjects getLead getMultipleLeads describeMObject \
getImportToListStatus getMObjects
      CustInqRq DepAcctInqRq AcctInqRq`,
    writes: `RunInstances TerminateInstances StopInstances CreateImage AllocateAddress \
ModifyInstanceAttribute
      ConfirmProductInstance ReportInstanceStatus ImportKeyPair RequestSpotInstances \
SubmitGenerateReport
      AppealAdRejections SignupCustomer UpgradeCustomerToAgency syncLead mergeLeads \
scheduleCampaign requestCampaign
      importToList syncMObjects XferAddRq`,
    untold: 'areYouThere PollGenerateReport DownloadCampaignsByAccountIds',
  },
  {
    maker: 'TR-069',
    reads:
      'GetRPCMethods GetParameterValues GetParameterNames GetParameterAttributes ' +
      'GetQueuedTransfers GetOptions',
    writes: `SetParameterValues SetParameterAttributes AddObject DeleteObject Reboot Download \
Upload FactoryReset Inform
      ScheduleInform ScheduleDownload CancelTransfer TransferComplete \
RequestDownload Kicked SetVouchers`,
    untold: '',
  },
  {
    maker: 'public samples',
    reads: `GetWeather GetCitiesByCountry CountryName_Get ListOfContinentsByName \
ListOfCountryNamesByCode IsValidISBN13
      GetQuote LookupCity getBanklistByBlz getBank checkText echoString Echo WhoAmI \
whoami getVersion PingServer`,
    writes:
      'SendSMS Add Multiply Subtract Divide SayHello sayHi greetMe NewOrder ' +
      'PlaceOrder RequestSecurityToken',
    untold: `CapitalCity CountryCurrency FullCountryInfo CelsiusToFahrenheit ConversionRate \
NumberToWords Version HelloWorld
      ResolveIP ValidateCard`,
  },
  {
    maker: 'traps',
    reads: `Entity_GetX Entity.GetX doGetX wsListOrders Process_GetList Import_GetStatus \
CustomerGetById OrderSearchByDate
      sp_GetOrders GetTermsAndConditions GetUpdateHistory GetCancelReasons GetLockStatus GetOrder \
GETOrder READ_STOCK
      is_open can_cancel OrderExists Find_All_Orders getOrdersAndLines ListOrdersAsync IGetOrder \
get-order
      ISValid BookSearch TransferList BalanceInquiry AccountQuery ZSD_GET_ORDER Z_READ_STOCK \
Bapi_Material_GetDetail
      BAPI_MATERIAL_GETLIST_GET v2.orders.list GetBookAndChapter GetNextPage`,
    writes: `GetAndLock SearchAndDelete ReadAndClear FindOrCreate GetOrCreateCustomer \
GetOrderAndClose QuoteAndBook
      GetQuoteAndBook checkout CheckIn CheckOut CheckInGuest Room_CheckIn DoCheckout GetForUpdate \
SelectForUpdate
      GetNextNumber GetNextInvoiceNumber GetNextMessage ShowMessage DisplayText EmptyList \
GetOrderWithLock TrackEvent TrackClick LoadMoney LoadCard SelectSeat MarkRead MarkAsRead mark_read \
SetRead
      SaveSearch DeleteView RunQuery ExecuteQuery StopSearch RefreshList SubmitInquiry ListAdd \
List_Create SearchSave
      Data_Load BulkLoad MeterRead IS_UpdateOrder LoadBalancer_CreateRule OptimizeList \
SynchronizeQuery NotifyList
      ProcessList PostQuery ShareList ImportList BlackList Getaway Issue Hash Listen Wholesale \
Viewport Checksum 1 AsyncGetX
      BeginGetX PostGetOrder order Retriever FetchAndAcknowledge PeekAndPop ListUnlock QueryReset \
CountAndReset
      Event_Track search_and_replace view_update DequeueMessage ReceiveOrder get_and_set`,
    untold: 'getorder listorders Customer.Read CheckUpdateStatus EmailSearch',
  },
  {
    maker: 'Names in other languages, and of SAP',
    reads: `BAPI_CUSTOMER_GETLIST BAPI_CUSTOMER_GETDETAIL PobierzKlienta SprawdzStatus \
WyszukajZamowienie LeggiOrdine
      elencaClienti cercaProdotto KundeSuchen HoleAuftrag lireClient RechercherCommande \
ConsultarFactura obtenerSaldo
      ReturnCustomerList ReturnAllRates Charge_GetStatus Order_Get \
Export_GetList Update_GetHistory`,
    writes: `AuftragAnlegen KundeLoeschen creerClient SupprimerCommande DodajKlienta \
UsunZamowienie ZapiszDane creaOrdine
      InserisciCliente ReadNextEvents FetchNext ReturnOrder ReturnItems \
EmitirFactura PobierzOrazUsun`,
    untold: '',
  },
  {
    maker: 'administrations of Europe',
    reads: `hentPerson hentOrganisasjon finnAdresse søkVirksomhet sjekkStatus visMelding \
beregnSkatt lesDokument
      hämtaPerson sökFöretag kontrolleraStatus listaÄrenden hittaAdress hent_person
      holePerson sucheFirma prüfeStatus ermittleSteuer auflistenPersonen zeigeBescheid
      rechercherPersonne consulterDossier récupérerDocument vérifierStatut listerDemandes \
calculerImpôt
      consultarEstado obtenerExpediente buscarPersona comprobarEstado calcularImpuesto
      ricercaPersona consultaStato ottieniDocumento verificaEsito elencaPratiche calcolaCodice
      zoekPersoon haalDocument raadpleegStatus controleerStatus opvragenGegevens toonBesluit \
berekenBelasting
      pobierzOsobę wyszukajPodmiot sprawdźStatus obliczPodatek wyświetlDokument`,
    writes: `opprettPerson lagreDokument slettSak endreAdresse sendMelding oppdaterStatus \
registrerVirksomhet hentOgLagre
      leggTilVedlegg finnOgSlett skapaÄrende taBortÄrende uppdateraAdress hämtaOchSpara \
registreraFöretag
      erstellePerson löscheFirma speichereBescheid sendeAntrag holeUndSpeichere storniereAntrag
      créerDossier supprimerDemande envoyerDocument déposerDemande modifierAdresse \
transmettreDossier
      crearExpediente eliminarPersona enviarDocumento firmarDocumento presentarSolicitud
      creaPratica eliminaDocumento inviaDomanda aggiornaStato registrareAtto
      maakPersoon verwijderDocument wijzigAdres verzendBericht zoekEnVerwijder toevoegenBijlage
      utwórzOsobę usuńDokument zapiszWniosek wyślijPismo złóżWniosek zmieńAdres`,
    untold: 'listeAuf visaÄrende',
  },
  {
    maker: 'lists of what is also a verb',
    reads: `ListExchangeRates ListPrintJobs listOpenOrders ListTestResults ListTransfers listOrder \
ListPressReleases
      ListImportJobs ListRegisterEntries`,
    writes: 'ListUpdate List_PrintItems ListAndPrint ListAdd ListPrint',
    untold: '',
  },
];
