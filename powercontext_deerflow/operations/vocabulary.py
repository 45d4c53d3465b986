# SPDX-License-Identifier: Apache-2.0
"""Words that tell little of what a message is about. Without case and accents, several languages in one list."""

from __future__ import annotations

FUNCTION = frozenset(
    """
    a about above across after afternoon again against ago all along already also am an and another any
    anybody anything are around as ask at away back be because been before behind below beside best between
    beyond both but by can cant could day days did didn do does doesn doing don done dont down during each
    eight either else enough even evening ever every everybody everyone everything far few fine first five
    for four from get gets give given go goes going good got great guys had half has have hello help her
    here hey hi him his hour hours how however hundred i if in instead into is isn it its just know last let
    like ll long look looking lot lots made make many may maybe me might minute minutes month months more
    morning most much must my near need needs never new next nice night nine no nobody nor not nothing now
    of off often ok okay old on once one only or other others our out over own people per person please pls
    probably put question questions quick quickly quite rather re really right said same say says second see
    set seven several shall she should since six small so some somebody someone something sorry still such
    sure take tell ten than thank thanks that thats the their them then there these they thing things think
    third this those though thought three through time times to today together told tomorrow too try two
    under until up upon us use used using ve very via want wants was way ways we week weeks well were what
    whats whatever when where whether which while who whole whom whose why will with within without wonder
    work worked working works would year years yes yesterday yet you your yours aber alle als auch auf aus
    bei bin bis bist da damit dann das dass dein dem den denn der des dich die dies diese dieser doch dort
    du durch ein eine einem einen einer eines er es etwas fur gibt hab habe haben hat hallo hier ich ihr im
    immer ist ja jetzt kann kannst kein keine mal man mehr mein mich mir mit muss nach nicht noch nur ob
    oder ohne schon sehr sein sich sie sind soll uber um und uns unter vom von vor wann war warum weil wenn
    zwischen zwei drei heute morgen moin danke bitte frage kurze wer werden wie wieder wir wird wo zu zum
    zur al algo alguien ante antes aqui asi aun bien cada casi como con cosa cual cuando cuanto de debo del
    desde donde el ella ellos en entonces entre era esa ese eso esta estan estar este esto gracias ha hay
    hacer hasta hola la las le les lo los mas mi mis muy nada ni nos o os para pero por porque puede puedo
    que quien quiero se ser si sin sobre solo son su sus tambien te tengo tiene todo todos tu un una unos
    uno vale y ya yo а бы был была были было быть в вам вас ваш ведь во вот все всем всё вы где да для до
    его ее если есть еще ещё ж же за и из или им их к как какая какие какой когда кто ли мне меня мой мы на
    над надо нам нас не него нет ни них но ну о об она они оно от очень по под при привет с со так там те
    тем то тогда того тоже только том ты у уже чем через что чтобы ему ей три два один зачем почему куда
    откуда сколько завтра сегодня эта эти это я нужно можно вообще какое кому
    """.split()  # noqa: SIM905 - a literal of words reads better
)
"""Words that tell nothing."""
COMMON = frozenset(
    """
    write error team table run service user page send change test add key api return code select call failed
    text list read name type date wrong request query line log number row rows support end ticket keep post
    draft public update status create event open plan client answer due product find timeout twice left
    export start asked ask asks eat merge job copy went default group reason data created live example info
    explain company count script import check big form amount exactly leave base build paid column bit phone
    hand platform came connection office looks push turn started ms review search cut show short point
    points part found screen size idea response sent max asking fix active step index report model string
    numbers stay round button main seconds rate top wait current bad command later image function body late
    system split contact partner file files home rule gone save move side straight adding bring value values
    lost understand reply happen happens total class record unit sign true false cost internal flag place
    running target tried hold project design ready meeting simply drop takes proper process roughly offer
    standard view anyone raw items account sheet position plain owner case void err load better wrote cause
    document room success missing sum monday tuesday wednesday thursday friday saturday sunday weekend
    morning january february march april june july august september october november december utc http https
    com www org null json yaml csv logs warn debug replace stop mean means old money word words lines
    customer customers message messages app book food half sql mysql postgres postgresql docker redis java
    python git kafka css html javascript typescript react linux excel english german french three four eight
    chart order orders starts starters sell long finish finished light green grey head header leaves leaf
    branch not woche jahr montag klasse ganz tag tage mes meses hora horas primera vez cliente clientes ему
    день дней год
    """.split()  # noqa: SIM905 - as above
)
"""Words that people write at work, whatever it is about: they tell something."""
ELSEWHERE = frozenset(
    """
    poem poems poetry haiku song songs story stories tale joke jokes pun riddle quiz trivia novel fiction
    lyrics rhyme limerick rap recipe recipes cook cooking bake baking oven fry grill soup salad pasta pizza
    sauce cheese butter egg eggs flour sugar salt bread cake cookies chicken beef pork fish salmon shrimp
    rice noodles tomato tomatoes potato potatoes onion garlic banana apple apples lemon berries fruit fruits
    vegetable vegetables vegan vegetarian diet calories protein breakfast wine beer whisky cocktail tea
    kettle fridge freezer dishwasher kitchen sandwich chocolate honey yogurt spicy taste tasty movie movies
    film films actor actress cinema netflix episode anime cartoon concert album singer piano guitar violin
    drums theatre museum exhibition painting artist photography birthday wedding married marriage
    anniversary christmas easter halloween valentine gift gifts baby toddler kid kids child children
    daughter daughters son sons wife husband girlfriend boyfriend mom mum mother dad father parents sister
    brother siblings cousin uncle aunt niece nephew grandma grandmother grandpa grandfather grandparents
    neighbor neighbour bride baptism funeral dog dogs puppy cat cats kitten pet pets hamster rabbit horse
    horses bird birds parrot owl eagle penguin penguins dolphin whale shark elephant lion tiger bear bears
    wolf fox snake turtle frog spider insect bee bees butterfly dinosaur dinosaurs animal animals zoo
    aquarium garden gardening lawn balcony plants flower flowers rose roses tulip tree trees cactus seeds
    soil compost houseplant bike bicycle cycling gym workout yoga marathon jogging swim swimming football
    soccer basketball tennis golf hockey ski skiing skating chess poker puzzle olympics olympic championship
    knitting sewing crochet camping hiking hike picnic barbecue fishing surfing sailing dance dancing trip
    travel vacation holiday holidays beach island hotel flight sightseeing sights tourist tourists passport
    souvenir itinerary cruise hostel castle cathedral doctor dentist headache fever cough flu pain sore knee
    skin hair sleep insomnia pregnant pregnancy vitamin vitamins allergy medicine pills blood lungs muscle
    tooth teeth stomach school homework essay exam teacher pupil pupils university professor thesis
    kindergarten planet planets moon sun mars jupiter saturn galaxy universe astronomy comet volcano
    earthquake ocean sea river rivers lake mountain mountains desert rainforest climate weather rain snow
    storm tornado rainbow continent country countries population war battle king queen emperor empire roman
    romans medieval ancient century revolution president presidents napoleon pyramid pharaoh shakespeare
    philosopher philosophy religion bible myth mythology horoscope zodiac tarot lottery superstition
    translate translation pronounce pronunciation grammar synonym synonyms antonym adjective adjectives
    adverb verb verbs noun idiom idioms proverb etymology difference algorithm algorithms recursion regex
    semaphore mutex fibonacci factorial quicksort polymorphism monad leetcode haskell fortran apartment
    mortgage furniture sofa couch mattress curtain wardrobe vacuum washing laundry stain carpet wallpaper
    plumber faucet toilet shower attic basement tire tires motorcycle gedicht gedichte witz witze lied
    lieder marchen rezept kochen backen kuchen brot suppe salat kase wein bier fruhstuck apfel fisch huhn
    kino schauspieler konzert gitarre klavier geburtstag hochzeit weihnachten ostern geschenk kind kinder
    tochter sohn frau ehemann mama papa mutter vater eltern schwester bruder oma opa tante onkel hund hunde
    katze katzen pferd vogel tier tiere garten balkon blume blumen pflanze pflanzen baum fahrrad fussball
    schwimmen wandern urlaub strand reise insel arzt kopfschmerzen fieber schule hausaufgaben referat
    aufsatz lehrer mond sonne wetter regen schnee hauptstadt krieg konig romer ubersetze ubersetzen
    grammatik unterschied erklaren spiel spiele klasse wohnung mobel poema poemas chiste chistes cancion
    cuento cuentos receta recetas cocinar horno sopa ensalada queso vino cerveza pan pastel tarta pollo
    arroz tomate manzana pescado desayuno pelicula peliculas cine concierto guitarra cumpleanos boda navidad
    regalo nino ninos nina bebe hija hijo mujer esposa marido madre padre abuela abuelo hermana hermano tio
    tia perro perros gato gatos caballo pajaro animales jardin flores planta plantas arbol bicicleta futbol
    nadar vacaciones playa viaje isla medico fiebre colegio escuela deberes profesor planeta luna sol mar
    lluvia clima guerra rey traduce traduceme traducir gramatica diferencia explicame juego juegos piso
    mascota стих стихи стихотворение шутку шутка анекдот песня песню сказка сказку рецепт рецепты
    приготовить испечь суп салат сыр вино пиво хлеб торт пирог курица рыба яблоки фильм фильмы кино актер
    концерт гитара рождения свадьба свадьбу праздник поздравление поздравить подарок ребенок ребенку дети
    детям дочь дочка дочке сын сыну жена жене муж мужу мама маме папа папе бабушка бабушке дедушка дедушке
    сестра брат тетя тете дядя дяде собака собаку кошка кошку кот кота животные птица сад дача даче цветы
    растение дерево велосипед футбол рыбалка рыбалку баня баню поход отпуск пляж поездка море остров врач
    голова температура школа школе уроки сочинение учитель планета луна солнце космос погода дождь столица
    война царь переведи перевод грамматика разница объясни игра игры настолка настолки квартира диван 笑话
    电影 菜谱 食谱 做饭 做菜 炒菜 红烧 清蒸 烤箱 沙拉 蛋糕 面包 饺子 火锅 米饭 面条 牛肉 猪肉 鸡肉 鱼露 鸡蛋
    番茄 土豆 西瓜 苹果 香蕉 水果 蔬菜 奶茶 咖啡 红酒 啤酒 早餐 减肥 健身 瑜伽 跑步 游泳 篮球 足球 羽毛 象棋
    围棋 麻将 生日 结婚 婚礼 相亲 恋爱 分手 情书 女儿 儿子 老婆 老公 爸爸 妈妈 爸妈 父母 爷爷 奶奶 外婆 孩子
    宝宝 小学 初中 高中 高考 考研 作业 作文 老师 单词 英语 日语 法语 德语 翻译 翻成 译成 古诗 诗句 成语 歇后
    小说 故事 童话 歌曲 歌词 唱歌 钢琴 吉他 明星 演员 综艺 游戏 旅游 旅行 景点 酒店 海边 爬山 露营 宠物 小狗
    小猫 猫咪 狗狗 植物 绿萝 多肉 养花 浇花 阳台 装修 沙发 天气 下雨 星座 运势 彩票 历史 朝代 皇帝 地理 首都
    国家 动物 恐龙 星球 月亮 太阳 宇宙 感冒 发烧 头疼 头痛 失眠 怀孕 医生 牙疼 皮肤 头发 区别 算法 二叉 谜语
    春联 祝福 映画 料理 献立 弁当 誕生 結婚 友達 彼女 彼氏 子供 息子 家族 両親 宿題 学校 翻訳 英語 単語 文法
    小説 物語 俳句 祭り 古本 花見 温泉 観光 旅館 天気 台風 動物 野球 歌詞 歴史 違い 意味 医者 風邪 頭痛 犬猫
    公園 週末 映画館 여행 영화 요리 반찬 김치 떡볶 라면 커피숍 맛집 생일 결혼 아이 아들 부모 엄마 아빠 친구
    숙제 학교 수능 영어 번역 문법 소설 동화 노래 가사 게임 축구 야구 등산 캠핑 강아 고양 동물 식물 날씨 역사
    수도 차이 의미 감기 두통 병원 다이 운동 관광 데이 선물 プレゼント レシピ ケーキ ゲーム アニメ ドラマ
    ペット ダイエット ギター ピアノ サッカー クイズ ジョーク デート キャンプ hobby game games sick mann
    dream author poet stars history pub geschichte tiempo historia история
    """.split()  # noqa: SIM905 - as above
)
"""Words of people who ask about the world or their home; what was saved at work is seldom meant."""
FUNCTION_HAN = """
    问题 一次 这样 直接 今天 明天 昨天 时间 不能 大概 出来 觉得 另外 一点 能不能 个月 不要 比较 之前 以后
    之后 下周 上周 这周 结果 哪里 第一 告诉 周[一二三四五六日] 看看 麻烦 处理 知道 三个 两个 几个 哪个 个人
    一条 有点 说明 这种 这边 那边 打算 一张 一句 一段 一份 一直 哪些 影响 早上 下午 晚上 开始 后面 前面 主要
    最好 准备 这么 不用 有人 里面 不行 重新 到底 一共 好像 每天 合适 顺便 不知 月底 不会 东西 起来 不太 希望
    左右 不对 每个 没人 改成 第二 来着 啥时候 咋回事 我们 你们 他们 她们 它们 大家 自己 这个 那个 这些 那些
    这里 那里 什么 怎么 怎样 如何 为什么 是否 可以 能够 需要 应该 帮忙 一下 一个 一些 现在 然后 因为 所以
    但是 如果 还是 或者 以及 已经 没有 谢谢 你好 请问 时候 多少 多久
    """.split()  # noqa: SIM905 - as above
"""Chinese that tells nothing, longer ones first; beside these some single characters."""
