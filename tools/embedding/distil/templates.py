"""Sentences of our own in the manner of an agent's memory and of its questions.

The teacher is asked about them like about any other text. Nothing that the
tests of the table use may appear here: see `crates/mnemon/tests/meaning.rs`.
"""

import random
import re

SEED = 20
TRIES = 40_000

WORDS = {
    "who": "the user|Nadia|Oskar|our tech lead|the customer|the new hire|Priya|the reviewer|"
    "the on-call engineer|my boss|the intern|Jonas|the product owner|Ingrid|the vendor",
    "relative": "aunt|uncle|niece|twin brother|stepmother|fiancée|grandfather|landlord|flatmate|"
    "oldest son|godmother|piano teacher|dentist|boss",
    "wish": "long variable names|one assertion per test|weekly summaries|numbered lists|"
    "links to the sources|a call rather than an email|answers in French|no emoji|"
    "code samples with every explanation|estimates in days|diagrams|signed commits|"
    "two approvals for each change|feature branches|early returns|explicit types|"
    "Sunday deliveries|a seat near the exit|oat milk|spicy food|trains over planes|"
    "meetings before noon|a quiet office|monthly invoices|printed tickets|stand-ups by chat",
    "likes": "prefers|likes|insists on|asked for|would rather have|is happy with|can't stand|"
    "no longer wants|got used to|complained about|is fond of|refuses",
    "part": "invoice exporter|sign-up form|image resizer|session cache|rate limiter|audit trail|"
    "search page|nightly backup|metrics collector|webhook receiver|mail sender|price calculator|"
    "permission check|checkout flow|upload endpoint|job scheduler|release script|settings screen|"
    "address parser|chat widget|warehouse sync|password reset",
    "tool": "Postgres|Redis|Kafka|Docker|Kubernetes|Terraform|React|Vue|Django|FastAPI|Rails|"
    "Axum|gRPC|GraphQL|Nginx|Elasticsearch|MongoDB|Jenkins|GitLab|Prometheus|Grafana|OAuth|"
    "RabbitMQ|SQLite|DuckDB|Celery|Webpack|Bazel|Vault|Consul|Helm|Next.js|Tailwind|pytest|Cypress",
    "breaks": "hangs|crashes|times out|returns an empty answer|uses too much memory|fails at night|"
    "prints garbage|loops forever|rejects valid input|sends everything twice|skips the last row|"
    "stops after an hour|answers with status 502|ignores the limit|shows stale values",
    "cause": "a forgotten lock|a wrong default|a missing foreign key|an outdated driver|"
    "a typo in the config|two threads writing at once|daylight saving time|a truncated header|"
    "a leaked file handle|a proxy that buffers|an integer overflow|a renamed column|"
    "a revoked token|an empty file|a clock that runs ahead|a circular import",
    "cure": "added a retry|pinned the version|widened the column|took a lock first|"
    "moved it to a queue|restarted the node|cleared the cache|rolled the release back|"
    "raised the limit|wrote a regression test|split the query|renewed the certificate|"
    "switched to streaming|escaped the input|closed the handle",
    "when": "yesterday|last night|on Wednesday|in April|in the spring of 2022|three weeks ago|"
    "this afternoon|before the holidays|at 9:30|in the first quarter|the other day|next Thursday|"
    "at the end of the month|shortly after lunch|tomorrow",
    "place": "Lisbon|Warsaw|Osaka|Montreal|Cape Town|Munich|Zurich|Portland|Edinburgh|Bogotá|"
    "Nairobi|Helsinki|Vienna|Singapore|Brighton",
    "life": "bought a sailing boat|is moving to {place}|had twins|took up climbing|sold the car|"
    "retired early|runs a small café|sprained an ankle|won a chess tournament|"
    "speaks four languages|is afraid of flying|keeps bees|sings in a band|got a scholarship|"
    "is recovering from surgery|went snorkelling|bakes sourdough|missed the train|"
    "works night shifts|collects old maps|is vegan|cannot eat gluten|proposed in {place}|"
    "adopted two kittens|is studying law|repairs bicycles",
    "rule": "never force-push|log every refusal|write the migration before the code|"
    "ask before deleting data|keep functions short|mask personal data|run the linter first|"
    "check the invoice twice|test on a copy|tag each release|review within one day|"
    "document public functions|rotate the keys each quarter|measure before optimising",
    "number": "three|12|40|90|250|1,000|two|eight|fifteen|64",
    "unit": "seconds|minutes|hours|days|requests per second|megabytes|users|euros|percent|retries",
}

STATEMENTS = [
    "{who} {likes} {wish}",
    "{who} {likes} {wish}, as we learned {when}",
    "Remember: {who} {likes} {wish}",
    "We picked {tool} for the {part}",
    "We picked {tool} instead of {tool} because the {part} {breaks}",
    "Decision: the {part} will be built with {tool}",
    "We agreed to {rule}",
    "Rule of the team: {rule}",
    "The {part} {breaks} because of {cause}",
    "The {part} {breaks} since we upgraded {tool}",
    "Root cause of the outage {when}: {cause}",
    "To repair the {part} we {cure}",
    "{who} {cure} and the {part} works again",
    "When the {part} {breaks}, look for {cause}",
    "The {part} may take at most {number} {unit}",
    "The limit of the {part} is {number} {unit}",
    "{who} owns the {part}",
    "{who} is away {when}",
    "The release of the {part} was postponed, it comes {when}",
    "The contract with {who} ends {when}",
    "{who} lives in {place} and {life}",
    "My {relative} {life}",
    "{who} told me that a {relative} {life}",
    "We met {who} in {place} {when}",
    "The {part} talks to {tool} over TLS",
    "Backups of {tool} are kept for {number} {unit}",
    "The tests of the {part} need {tool} to be running",
    "The {part} was rewritten {when} to get rid of {tool}",
    "Still open: the {part} {breaks} and nobody knows why",
    "Lesson learned: {rule}",
    "{who} spent {number} {unit} on {cause}",
]

QUESTIONS = [
    "What does {who} like?",
    "How should I write to {who}?",
    "Why did we pick {tool}?",
    "What do we use for the {part}?",
    "What was wrong with the {part} {when}?",
    "Why is it that the {part} {breaks}?",
    "How was the {part} repaired?",
    "Who looks after the {part}?",
    "How many {unit} may the {part} take?",
    "What are the rules for a release?",
    "When will the {part} be finished?",
    "Where does {who} live?",
    "What do we know about the family of {who}?",
    "What happened in {place} {when}?",
    "Is there anything I must not do with {tool}?",
    "Which problems did we have with {tool}?",
    "What did {who} say about the {part}?",
    "Did {who} mention a {relative}?",
    "What is still open about the {part}?",
    "What did we learn from {cause}?",
    "How do I set up {tool} on my machine?",
    "Does {who} know {tool}?",
]


def sentences():
    """Random fillings of the patterns, always the same ones."""
    chance = random.Random(SEED)

    def one_of(choices):
        return choices[int(chance.random() * len(choices))]

    words = {name: line.split("|") for name, line in WORDS.items()}
    for _ in range(TRIES):
        text = one_of(QUESTIONS if chance.random() < 0.35 else STATEMENTS)
        # A word may hold a place of its own, so fill until none is left.
        while "{" in text:
            text = re.sub(r"\{(\w+)\}", lambda place: one_of(words[place[1]]), text)
        text = text[0].upper() + text[1:]
        yield text if text.endswith("?") or chance.random() < 0.5 else text + "."
