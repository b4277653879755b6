// What scripts of a page have of each other by a global name.

/** What loads.js and workbook.js give to all others. */
interface Workbook {
    Sentence: new (message: string) => Error;
    NotLoaded: new (what: string) => Error;
    notLoaded(name: string): Error;
    reason(error: unknown, again?: string): string;
    once<Result>(work: (...given: any[]) => Result | Promise<Result>): Once<Result>;
    attempt(work: () => unknown, place: Element): Promise<void>;
    listed(signal?: AbortSignal): Promise<Record<string, About>>;
    load(name: string): Promise<any>;
    element<Tag extends keyof HTMLElementTagNameMap>(
        tag: Tag, properties?: Record<string, unknown>, ...children: (Node | string)[]
    ): HTMLElementTagNameMap[Tag];
    thousands(number: number): string;
    page: string;
    showCommand(code: Element, text: string): void;
    watch(region: Element): void;
    released(): Promise<void>;
    reveal(element: Element): void;
}
interface Once<Result> {
    (...given: any[]): Promise<Result>;
    forget(): void;
}
/** What a file is, as whole.js has it. */
interface About {
    bytes: number;
    sha256?: string;
}

interface Window {
    workbook: Workbook;
    /** Has figures play that a script has put below this element. */
    playFilms(root: ParentNode): void;
    /** Of mdBook. */
    hljs?: { highlightBlock(code: Element): void };
    elasticlunr?: any;
    search: any;
}
declare const path_to_root: string;

// What whole.js gives, to pages and to workers.
declare function aboutBytes(bytes: ArrayBuffer): Promise<About>;
declare function isWhole(bytes: ArrayBuffer, about: About): Promise<boolean>;

/** What selectors find is HTML; and a figure has what plays it, of player.js. */
interface Element {
    readonly dataset: DOMStringMap;
    hidden: string | boolean;
    readonly offsetHeight: number;
    readonly offsetWidth: number;
    open: boolean;
    player?: any;
    popover: string | null;
    style: CSSStyleDeclaration;
    tabIndex: number;
    hidePopover(): void;
    showPopover(): void;
}
