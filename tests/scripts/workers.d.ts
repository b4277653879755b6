// What scripts of a worker have of each other, and of those in vendor/.

/** What a file is, as whole.js has it. */
interface About {
    bytes: number;
    sha256?: string;
}
declare function aboutBytes(bytes: ArrayBuffer): Promise<About>;
declare function isWhole(bytes: ArrayBuffer, about: About): Promise<boolean>;
// What a service worker has beside: no script of this list but offline.js uses these.
declare const clients: Clients;
interface WorkerGlobalScopeEventMap {
    activate: ExtendableEvent;
    fetch: FetchEvent;
}
declare const fzstd: { decompress(packed: Uint8Array): Uint8Array };
declare const wasiShim: any;
